"""I4: a slow leak, and automatic make-up that keeps the pressure gauge flat.

A 2 mm hole loses 1.12 kg/h. With make-up: pressure flat at 70.3 kPa, 0.77 kg/h of N2 and 0.34 kg/h of O2 from the
tanks; 80 kg of N2 last 103 h. Without: -2.38 mmHg/h, PIO2 127 mmHg after 7.6 h and 122 after 15.6 h. No rate alarm: the
alarm (-248 mmHg/h) is a hundred times larger. With make-up inhibited for 30 min N2 falls 0.84 mmHg; with the lab's
hatch shut for 4 min the lab falls 0.48 mmHg. The make-up splits as the air's mass does, 68 to 30; by moles it would
be 0.79 to 0.31.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from mission.incidents.model import Base, Incident, Parameters


class MaskedLeak(Parameters):
    zone: Literal["core", "lab", "airlock"] = "lab"
    hole_mm: float = Field(2.0, ge=1e-6, le=40)


def plant(base: Base, parameters: MaskedLeak) -> None:
    base.make_hole(parameters.zone, parameters.hole_mm)


INCIDENT = Incident(
    id="I4",
    name="masked_leak",
    title="Slow leak masked by automatic make-up",
    parameters=MaskedLeak,
    plant=plant,
    truth="a hole in a window seal or hose of one zone.",
    shows=(
        "pressure flat at 70.3 kPa while make-up works",
        "make-up of 0.77 kg/h N2 and 0.34 kg/h O2, a hundred times the design leak",
        "the N2 tank falls, 103 h from full to empty",
    ),
    confusable_with=(
        "oxygen generator off: -0.39 mmHg/h, O2 only",
        "1 K of cooling: -1.8 mmHg",
        "20 % less humidity: -3.9 mmHg",
        "one airlock cycle: 2.4 kg",
        "an offset of the N2 flow meter",
    ),
    discriminating_checks=("pn2_trend", "hatch_dwell", "gauge_crosscheck"),
    right=(
        "inhibit make-up for the test, at most 30 min",
        "find the zone by hatch dwell, airlock, lab, core",
        "close the lab within 8 h and patch the hole",
        "keep 30 kg of N2",
    ),
    wrong=(
        "call it temperature and leave make-up on: N2 gone in 71 to 103 h, then PIO2 122 within 15.6 h",
        "raise make-up to its maximum: no leak of this size needs it",
    ),
    numbers={
        "leak_kg_h": 1.12,
        "n2_makeup_kg_h": 0.77,
        "o2_makeup_kg_h": 0.34,
        "n2_tank_hours": 103.0,
        "pressure_mmhg_h_without_makeup": -2.38,
        "hours_to_pio2_127_without_makeup": 7.6,
        "hours_to_pio2_122_without_makeup": 15.6,
        "pn2_trend_mmhg": -0.84,
        "lab_dwell_mmhg": -0.48,
    },
)
