"""What a Life Support officer knows of the oxygen generator, oxygen in the air, a hole in the wall, and smoke."""

from __future__ import annotations

from mission.pilots.conversation import Conversation
from mission.pilots.knowledge import NOMINAL_KPA
from mission.pilots.work import Account, Check, Figure, Gauge, Subject, mean, onset, slope

KG_PER_MMHG = "133.322 * 300 * 0.0288 / (8.314 * 295)"
"""Air of Core and Lab, 300 m3 at 295 K: kg per mmHg."""
MMHG_PER_KPA = 7.50062
FAST_MMHG_H = 10.0
"""Fall of pressure with make-up on that no cooling, drying or noise of the gauges makes."""
TRIP_HALF = 0.5
"""Per cent of hydrogen: half of what trips the generator."""


def _hydrogen_check(conversation: Conversation) -> Check | None:
    return ("second_h2_sensor", "") if conversation.value("oga.h2") > TRIP_HALF else None


def _generator(conversation: Conversation) -> Account:
    """Two sensors: hydrogen or moisture; and how long the tank carries the crew."""
    second = conversation.measured("second_h2_sensor", "hydrogen")
    if conversation.value("oga.rate") >= 1:
        return Account("nominal", (("The generator runs.", ("oga.rate", "oga.h2")),), "Nothing is to be restarted.")
    since = onset(conversation.samples("oga.rate"), lambda value: value < 1)
    tank = conversation.value("tank.o2")
    lasts = f"{tank:g} / (-1 * ({slope(conversation.samples('tank.o2'), since)}))"
    figures = (Figure("hours_until_o2_empty", "h", lasts, ("tank.o2",)),)
    if second is None:
        calm = ("The generator shows no hydrogen.", ("oga.h2", "oga.rate"))
        return Account("watch", (calm,), "Look for another cause of the trip before a restart.", figures)
    first = conversation.value("oga.h2")
    share = Figure("oga_hydrogen", "%", f"{second:g} * 1", ("check:second_h2_sensor",), "now")
    spent = (
        "Oxygen comes from the tank meanwhile, and nitrogen make-up stands: no air is lost.",
        ("makeup.o2_flow", "makeup.n2_flow", "tank.o2", "core.ppo2"),
    )
    if second < TRIP_HALF:
        text = (
            f"Sensor A shows {first:.2f} % and the second sensor {second:.2f} %: sensor A is wrong, as it was before."
        )
        found = (text, ("oga.h2", "check:second_h2_sensor", "report:maintenance"))
        return Account("watch", (found, spent), "Purge, dry sensor A and restart it once.", (share, *figures))
    text = f"Sensor A shows {first:.2f} % and the second sensor {second:.2f} %: both sensors agree, the membrane leaks."
    return Account(
        "watch",
        ((text, ("oga.h2", "check:second_h2_sensor")), spent),
        "No restart: with a leaking membrane it trips again. Fit the spare stack; the tank leaves days for it. Advise "
        "against bypassing the hydrogen trip.",
        (share, *figures),
        "How fast the membrane leaks while the generator runs.",
    )


def _oxygen(conversation: Conversation) -> Account:
    """Which gas rises, and whether the tank pays for it: the supply or warmth."""
    gases = ("core.ppo2", "lab.ppo2", "core.pressure")
    warmth = ("core.temperature", "lab.temperature", "core.humidity")
    supply = ("makeup.o2_flow", "makeup.n2_flow", "tank.o2")
    flow = conversation.samples("makeup.o2_flow")
    pressure, ppo2 = conversation.value("core.pressure"), conversation.value("core.ppo2")
    if flow[-1][1] < 0.3:
        found = (
            ("The oxygen supply stands and its tank keeps its level: no oxygen comes in.", supply),
            ("Gases and temperatures of both zones.", (*gases, *warmth)),
        )
        return Account("watch", found, "Go by temperature and people; FR-05 asks for nothing.")
    if pressure < NOMINAL_KPA[1] - 1 and conversation.value("makeup.n2_flow") > 0.1:
        text = "Oxygen and nitrogen flow in together, and pressure stands in its band: make-up for a loss."
        return Account("warning", ((text, (*supply, *gases)),), "Look for a leak by the nitrogen trend (FR-06).")
    since = onset(flow, lambda value: value >= 0.3)
    rise = slope(conversation.samples("core.ppo2"), since)
    total = slope(conversation.samples("core.pressure"), since)
    return Account(
        "warning",
        (
            ("Temperature and humidity stand: warmth cannot be it, and would raise all gases alike.", warmth),
            ("Oxygen alone rises, in both zones, and pressure with it.", gases),
            ("The tank's oxygen flows in through the supply with no call for make-up, and nitrogen stands.", supply),
        ),
        "Close the manual valve of the oxygen supply now and raise no oxygen rate (FR-05); no suit purge in the cabin. "
        "Then replace the automatic valve. Advise against nitrogen before the supply is shut.",
        (
            Figure("ppo2_rise_rate", "kPa/h", rise, ("core.ppo2",), "now"),
            Figure(
                "hours_until_o2_30_percent",
                "h",
                f"(0.3 * {pressure:g} - {ppo2:g}) / ({rise} - 0.3 * ({total}))",
                ("core.ppo2", "core.pressure"),
            ),
        ),
        "Whether the valve or its control is at fault.",
    )


def _rates(conversation: Conversation) -> tuple[float, float]:
    """mmHg/h by which the gauges of core and lab fall."""
    return -conversation.value("core.pressure_rate"), -conversation.value("lab.pressure_rate")


def _gauge_check(conversation: Conversation) -> Check | None:
    core, lab = _rates(conversation)
    if min(core, lab) > FAST_MMHG_H or max(core, lab) < FAST_MMHG_H:
        return None
    return "gauge_crosscheck", "core" if core > lab else "lab"


def _puncture(conversation: Conversation) -> Account:
    """Two gauges: a fall in both is real, and there is no time for a test; what comes in is lost on top."""
    gauges = ("core.pressure", "lab.pressure", "core.pressure_rate", "lab.pressure_rate")
    core, lab = _rates(conversation)
    if min(core, lab) < FAST_MMHG_H:
        text = "The gauges do not fall together: no gas is lost at the rate of an alarm."
        return Account(
            "watch", ((text, (*gauges, "check:gauge_crosscheck")),), "Masks at hand; read both gauges again."
        )
    felt = ", and ears pop" if any("Ears pop" in one["text"] for one in conversation.reports("crew")) else ""
    fall = mean((core, lab))
    samples, pressure = conversation.samples("core.pressure"), conversation.value("core.pressure")
    before = f"({mean([value for _, value in samples[:6]])} - {pressure:g}) * {MMHG_PER_KPA} / ({fall})"
    inflow = f"({conversation.value('makeup.n2_flow'):g} + {conversation.value('makeup.o2_flow'):g}) / ({before})"
    leak = f"{KG_PER_MMHG} * ({fall}) + {inflow}"
    ppo2 = mean([conversation.value(f"{zone}.ppo2") for zone in ("core", "lab")])
    limit = f"(47 + 122 * {pressure:g} / ({ppo2}))"
    mmhg = f"{pressure:g} * {MMHG_PER_KPA}"
    on = (*gauges, "makeup.n2_flow", "makeup.o2_flow")
    return Account(
        "critical",
        (
            (
                f"It is real: both gauges fall together by {max(core, lab):.0f} mmHg/h with make-up on{felt}.",
                (*gauges, "core.ppo2", "report:crew"),
            ),
            ("Inspired oxygen sets the clock, not the pressure; FR-08 applies at once.", ("core.ppo2", "rule:FR-08")),
        ),
        "FR-08 now: masks on, everybody out of the Lab to the Core, count the crew, and the core-lab hatch closed "
        "within 5 min; make-up to the Core only. Advise against any search in the Lab while its hatch is open.",
        (
            Figure("leak_rate", "kg/h", leak, on, "now"),
            Figure(
                "hours_until_pio2_122",
                "h",
                f"{KG_PER_MMHG} * {mmhg} / ({leak}) * ln({mmhg} / {limit})",
                (*on, "core.ppo2", "lab.ppo2"),
            ),
        ),
        "Where in the Lab the hole is; that is found from behind the closed hatch.",
    )


def _meter(_conversation: Conversation) -> Check:
    return "co_meter", "lab"


def _smoke(conversation: Conversation) -> Account:
    """Carbon monoxide and current beside the smoke: fire or dust."""
    smoke, current = conversation.samples("lab.smoke"), conversation.samples("lab.bus_current")
    co, more = conversation.measured("co_meter", "co"), current[-1][1] - current[0][1]
    cues = ("lab.smoke", "lab.co", "lab.hcn", "lab.hcl", "lab.bus_current", "lab.rack_temperature")
    meter = ("check:co_meter", "core.co", "core.smoke", "imv.speed")
    if (co or 0.0) < 5 and more < 1:
        text = (
            "Smoke alone: no carbon monoxide and no current with it. By FR-09 it counts as fire while it is searched."
        )
        return Account("watch", ((text, (*cues, *meter)),), "Search for 5 min with masks on and the fan off (FR-09).")
    since = onset(smoke, lambda value: value > 0.01)
    rise = slope(conversation.samples("lab.co"), since)
    usual = [value for time, value in current if time < since] or [current[0][1]]
    high = [value for _, value in current][-3:]
    return Account(
        "critical",
        (
            ("A fire, not dust: carbon monoxide, cyanide and a current that dust does not draw come with it.", cues),
            (f"The hand-held meter measures {co or 0.0:.0f} ppm of CO in the Lab; the Core is clean.", meter),
        ),
        "The fan stays off. FR-09 now: masks on, the Lab's bus off, people out of the Lab to the Core, extinguish. It "
        "may run once a later co_meter reading is below 55 ppm CO, 4 ppm HCN and 2 ppm HCl. Advise against venting.",
        (
            Figure("lab_co_rise_rate", "ppm/min", f"({rise}) / 60", ("lab.co", "check:co_meter"), "now"),
            Figure("lab_bus_rise", "A", f"{mean(high)} - {mean(usual)}", ("lab.bus_current",), "now"),
        ),
        "Which rack burns.",
    )


MAKEUP = ("makeup.n2_flow", "makeup.o2_flow", "tank.n2", "tank.o2")
SUBJECTS = (
    Subject(
        words=r"generator|hydrogen",
        gauge=Gauge("core.ppo2", 18.5, 22),
        channels=("oga.rate", "oga.power", "oga.h2", "oga.water_inlet", "core.pressure", "core.ppo2", *MAKEUP),
        history_h=6,
        rules=("FR-04",),
        reports=("maintenance",),
        check=_hydrogen_check,
        explain=_generator,
    ),
    Subject(
        words=r"pressure (has risen|rises|is rising)|oxygen (has risen|rises|is rising)",
        gauge=Gauge("core.pressure", *NOMINAL_KPA),
        channels=(
            *("core.pressure", "core.ppo2", "lab.pressure", "lab.ppo2", "core.ppco2", "core.humidity"),
            *("core.temperature", "lab.temperature", "oga.rate", "crew.core", "crew.lab", *MAKEUP),
        ),
        history_h=6,
        rules=("FR-05",),
        explain=_oxygen,
    ),
    Subject(
        words=r"depressuri[sz]ation|puncture",
        gauge=Gauge("core.pressure", *NOMINAL_KPA),
        channels=(
            *("alarm.depress", "core.pressure", "lab.pressure", "core.pressure_rate", "lab.pressure_rate"),
            *("core.ppo2", "lab.ppo2", "core.temperature", "lab.temperature", "crew.core", "crew.lab", *MAKEUP),
        ),
        history_h=0.5,
        rules=("FR-08", "FR-07"),
        reports=("crew",),
        check=_gauge_check,
        explain=_puncture,
    ),
    Subject(
        words=r"smoke|\bfire\b",
        gauge=Gauge("lab.smoke", 0, 0.033),
        channels=(
            *("lab.smoke", "lab.co", "lab.hcn", "lab.hcl", "lab.bus_current", "lab.rack_temperature"),
            *("core.smoke", "core.co", "core.bus_current", "imv.speed", "crew.lab"),
        ),
        history_h=0.2,
        rules=("FR-09",),
        check=_meter,
        explain=_smoke,
    ),
)
