"""I8: a cable overheats, or dust sets the smoke detector off.

20 g of insulation at 50 mg/s burn for 400 s. With a CO yield of 0.1 they make 2 g: 25 ppm in the lab alone, 8.3 in
the whole base. Smoke stops the fan between the modules by design after half a minute, so the smoke stays in the lab
and so does the CO2 of those in it (I2). Who stays in it breathes half the hour's SMAC each hour, HCl and HCN first, and
is over the day's within a day. Dust does the same without CO, HCN, HCl, current or heat.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters

YIELDS = {"smoke": 0.15, "hcn": 7.4e-3, "hcl": 0.01}
"""kg per kg: HCN of polyurethane foam (NASA); smoke and HCl of overheated insulation are ours."""


class CableFire(Parameters):
    cause: Literal["cable", "dust"] = "cable"
    zone: Literal["core", "lab"] = "lab"
    fuel_g: float = Field(20.0, ge=0.1, le=2000)
    rate_mg_s: float = Field(50.0, ge=0.1, le=1000)
    """Small fires burn 15 to 72 mg/s (NASA)."""
    co_yield: float = Field(0.1, ge=0, le=0.5)
    overload_w: float = Field(500.0, ge=0, le=3000)
    """What the fault draws: 19 % of the lab's bus."""
    flaming: bool = False
    """It burns on without power."""
    dust_g: float = Field(5.0, ge=0.1, le=500)


def plant(base: Base, parameters: CableFire) -> None:
    toxics = base.part("toxics")
    if parameters.cause == "dust":
        toxics.puff("dust", parameters.zone, parameters.dust_g)
        return
    toxics.ignite(
        parameters.zone,
        fuel_g=parameters.fuel_g,
        rate_mg_s=parameters.rate_mg_s,
        yields=YIELDS | {"co": parameters.co_yield},
        overload=parameters.overload_w,
        flaming=parameters.flaming,
    )


INCIDENT = Incident(
    id="I8",
    name="fire",
    title="Overheating cable, or dust in the smoke detector",
    parameters=CableFire,
    plant=plant,
    truth="insulation pyrolyses until its fuel is gone, its bus is off or it is put out; or dust, and nothing burns.",
    shows=(
        "smoke detector above 0.033 /m within a minute; the fan between the modules stops by itself",
        "cable: CO 25 ppm in the lab in 7 min, bus current up by a fifth, hottest rack +5 K by then",
        "dust: the detector alone, falling by itself within the hour",
        "those in the zone see haze, and of a cable smell it; a suit's scrubber that is baked out smells alike",
    ),
    confusable_with=("dust after cleaning or an EVA", "a fault of the detector", "a fan that stopped by a fault"),
    discriminating_checks=("co_meter", "second_detector"),
    right=(
        "masks (7 min), zone bus off, people out of the zone, extinguish",
        "co_meter below 55 ppm and within limits of HCN and HCl, then the fan again, within 2.5 h",
        "dust: one co_meter and one second_detector, then the fan again",
    ),
    wrong=(
        "call it dust because the last alarms were: CO keeps coming",
        "run the fan first to clear the smoke: it spreads CO to the core",
        "vent the lab: 83 kg of air",
        "stay and work in what the meter calls under 55 ppm of CO: the other gases count too",
        "leave the fan off with people on both sides: the pocket of I2",
    ),
    numbers={
        "co_ppm_lab": 25.0,
        "co_ppm_mixed": 8.3,
        "co_g_for_100_ppm_300_m3": 24.0,
        "seconds_to_alarm": 58.0,
        "burn_s": 400.0,
        "lab_air_kg": 83.0,
    },
)
