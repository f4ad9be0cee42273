"""What Risk Review knows of a reading that its proposal rests on: who else says so, and who only repeats it."""

from __future__ import annotations

from mission.pilots.conversation import Conversation
from mission.pilots.work import Account, Check, Figure, Gauge, Subject, slope

APART_MMHG = 0.8
"""Between a sensor and the hand-held meter, beyond the bias of both."""
AIR = ("core.ppco2", "bed_a.inlet_ppco2", "bed_a.outlet_ppco2", "imv.speed")
"""What CO2 in the Lab would have to show in as well, while the fan mixes both zones."""
RECENT_H = 4.0
WARNING_MMHG = 5.0
"""What FR-02 asks for at any one time."""
METER = "check:handheld_co2"


def _meter(_conversation: Conversation) -> Check:
    return "handheld_co2", "lab"


def _reading(conversation: Conversation) -> Account:
    """The sensor against the air by a second instrument: a climb of CO2, or of the reading alone."""
    shown, air = conversation.value("lab.ppco2"), conversation.measured("handheld_co2", "ppco2")
    governs = ("FR-02 and FR-22 ask for a second instrument; a panel is none.", ("rule:FR-02", "rule:FR-22"))
    panel = ("The panel in the Lab shows the base's own, the same sensor: no second source.", ("report:crew",))
    if air is None:
        advice = "Not before the hand-held meter has measured the Lab."
        return Account("warning", (panel, governs), advice, gap="The air of the Lab, by a second meter.", objects=True)
    now = Figure("lab_ppco2_now", "mmHg", f"{air:g} * 1", (METER,), "now")
    if shown - air < APART_MMHG:
        return _true(air, now, governs)
    since = conversation.now() - RECENT_H
    lab, inlet = (slope(conversation.samples(channel), since) for channel in ("lab.ppco2", "bed_a.inlet_ppco2"))
    drift = Figure("sensor_drift_rate", "mmHg/h", f"({lab}) - ({inlet})", ("lab.ppco2", "bed_a.inlet_ppco2"), "now")
    return Account(
        "watch",
        (
            panel,
            ("Core, bed and fan are where they were while the Lab's reading climbs.", (*AIR, "lab.ppco2")),
            (
                f"The hand-held meter measures {air:.2f} mmHg in the Lab, against {shown:.2f} by the sensor.",
                (METER, "lab.ppco2"),
            ),
            governs,
        ),
        "Do not clear the Lab and open no LiOH: the sensor is suspect, and its drift is no CO2. Go by the Core, the "
        "bed's inlet and the hand-held meter, and have the sensor calibrated. A hand-held reading above 5 turns me.",
        (now, drift),
        "Why the sensor drifts; calibration gas would tell.",
        objects=True,
    )


def _true(air: float, now: Figure, governs: tuple[str, tuple[str, ...]]) -> Account:
    """The air is as bad as the sensor says, or worse: what FR-02 permits hangs on the meter."""
    found = (f"The hand-held meter measures {air:.2f} mmHg: the sensor shows no more than the air.", (METER, *AIR))
    if air >= WARNING_MMHG:
        return Account("critical", (found, governs), "It stands on a second instrument; go ahead (FR-02).", (now,))
    advice = f"Not yet: FR-02 is reached at {WARNING_MMHG:g} mmHg. Look for the cause first, and measure again."
    return Account("warning", (found, governs), advice, (now,), objects=True)


SUBJECTS = (
    Subject(
        words=r"\bpanel\b|sources agree",
        gauge=Gauge("lab.ppco2", 3, 7.6, "warning", "The gauge is as quoted; the proposal stands."),
        channels=("lab.ppco2", "bed_a.heater_duty", "imv.current", "crew.core", "crew.lab", "lioh.cans", *AIR),
        history_h=6,
        rules=("FR-02", "FR-22"),
        reports=("crew",),
        check=_meter,
        explain=_reading,
    ),
)
