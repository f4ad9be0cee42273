"""I5: a puncture that empties the base in hours, and inspired oxygen long before.

10 mm in the lab: 28 kg/h and -59.6 mmHg/h, which is -0.019 psi/min and under the alarm's own -0.08; the alarm sounds
because the reserve time to PIO2 122 is under an hour. Without make-up PIO2 is 122 mmHg after 37 min and the pressure
52.4 kPa after 2.6 h. 20 mm: -238 mmHg/h. With the lab shut the core is safe, and the lab alone loses 179 mmHg/h.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class Depressurisation(Parameters):
    zone: Literal["core", "lab", "airlock"] = "lab"
    hole_mm: float = Field(10.0, gt=4, le=40)


def plant(base: Base, parameters: Depressurisation) -> None:
    base.make_hole(parameters.zone, parameters.hole_mm)


INCIDENT = Incident(
    id="I5",
    name="depressurisation",
    title="Rapid depressurisation",
    parameters=Depressurisation,
    plant=plant,
    truth="a puncture of 10 mm or more in one zone.",
    shows=(
        "pressure of all joined zones falls 1 mmHg a minute",
        "oxygen and nitrogen fall together, 27 to 71",
        "make-up at its maximum; a hiss in the zone",
    ),
    confusable_with=("a fault of one pressure gauge", "a valve left open in the airlock", "sensor_fault"),
    discriminating_checks=("gauge_crosscheck", "hatch_dwell"),
    right=(
        "masks, everybody to the core and the lab's hatch closed within 5 min",
        "count people; make-up to the core only, oxygen first and up to 30 %",
        "somebody in a suit stays behind the closed hatch and patches; equalize before it is opened",
    ),
    wrong=(
        "search the hole in the leaking zone because the pressure lasts 2.6 h: PIO2 lasts 37 min",
        "feed both zones: 5.4 kg/h go out through the hole",
        "equalize the hatch into an open hole: the core's air follows",
    ),
    numbers={
        "leak_kg_h": 28.0,
        "pressure_mmhg_h": -59.6,
        "pressure_mmhg_h_20_mm": -238.0,
        "minutes_to_pio2_122_without_makeup": 37.0,
        "hours_to_52_4_kpa_without_makeup": 2.6,
        "lab_alone_mmhg_h": -179.0,
    },
)
