"""What a Power & Thermal officer knows of coolant, pumps, the reactor's convertors and the battery's gauge."""

from __future__ import annotations

from mission.pilots.conversation import Conversation
from mission.pilots.work import Account, Check, Figure, Gauge, Subject, mean, named, onset, slope, unit

FLOOR_KWH = 24.0
CAPACITY_KWH = 120.0
DISCHARGE_EFFICIENCY = 0.949
CABIN_LIMIT_C = 27.0
LEAK_L_H = 0.2
"""What FR-11 calls a leak, with the thermal term taken off."""
CONVERTORS = 8
HEALTHY = 50.0
"""Per cent of the full amplitude, above which a convertor runs."""
DISAGREE = 5.0
"""Per cent of charge by which gauge and voltage differ when one of them is out."""
SHUT_OFF_KPA = 67.0
"""More than a pump's 60 kPa: it turns against a line that is shut or frozen."""
KEEP = "Do not shed the CO2 bed in use, pumps or avionics."


def _loop(conversation: Conversation) -> str:
    return unit(conversation) or "a"


def _floor(conversation: Conversation, energy: str, on: tuple[str, ...]) -> tuple[Figure, ...]:
    """The hours until the floor from an energy; none while the battery charges."""
    net = conversation.value("battery.net")
    if net >= 0:
        return ()
    left = f"({energy} - {FLOOR_KWH:g}) * {DISCHARGE_EFFICIENCY:g} / {-net:g}"
    return (Figure("hours_until_battery_floor", "h", left, ("battery.net", *on)),)


def _filling(conversation: Conversation) -> str:
    """The loop whose level and pressure rise together, which no warmth does by so much; empty if none."""
    for loop in "ab":
        level = [value for _, value in conversation.samples(f"loop_{loop}.accumulator_level")]
        pressure = [value for _, value in conversation.samples(f"loop_{loop}.pressure")]
        if level[-1] - level[0] > 0.5 and pressure[-1] > 1.2 * pressure[0]:
            return loop
    return ""


def _level_check(conversation: Conversation) -> Check | None:
    return None if _filling(conversation) else ("level_trend", _loop(conversation))


def _coolant(conversation: Conversation) -> Account:
    """The level trend with its thermal term taken off: contraction or a leak."""
    if filling := _filling(conversation):
        text = f"Level and pressure of loop {filling.upper()} rise together: ammonia comes in behind its exchanger."
        on = (f"loop_{filling}.accumulator_level", f"loop_{filling}.pressure", "rule:FR-10")
        advice = f"FR-10 now: masks, everybody to the other zone, its hatch closed, loop {filling.upper()} isolated; "
        return Account("critical", ((text, on),), f"{advice}chips after that. Tell Life Support at once.")
    loop = _loop(conversation)
    level = named(conversation, "loop_{u}.accumulator_level")
    temperatures = tuple(named(conversation, f"loop_{{u}}.{side}_temperature") for side in ("supply", "return"))
    fall, thermal = (conversation.measured("level_trend", name) for name in ("level_rate", "thermal_rate"))
    if fall is None or thermal is None:
        return Account("unknown", (), "Repeat the level trend before anything is topped up.", gap="The level trend.")
    loss = f"-1 * ({fall:g} - {thermal:g})"
    if thermal - fall < LEAK_L_H:
        statement = "By the sight glass the level falls no faster than the coolant's temperature explains: no loss."
        on = (level, *temperatures, "check:level_trend")
        return Account("watch", ((statement, on),), "Nothing is to be isolated; look again in a shift.")
    on = (level, "check:level_trend")
    return Account(
        "warning",
        (
            (f"The level of loop {loop.upper()} falls while its temperatures stand.", (level, *temperatures)),
            (
                f"By the sight glass it falls by {-fall:.2f} L/h, of which contraction explains "
                f"{-thermal:.2f}: contraction cannot be it, this is a leak.",
                ("check:level_trend", named(conversation, "loop_{o}.accumulator_level")),
            ),
        ),
        f"A leak: isolate the segment of loop {loop.upper()}, move its loads to the other loop and shed to what one "
        "loop carries (FR-11). Advise against topping up, at most 1 L in 8 h: it feeds the leak. Tell Life Support.",
        (
            Figure("coolant_loss_l_h", "L/h", loss, on, "now"),
            Figure("hours_until_accumulator_empty", "h", f"{conversation.value(level):g} / ({loss})", on),
        ),
        "Where the segment leaks; glycol in the air of a zone would tell.",
    )


def _pump_check(conversation: Conversation) -> Check | None:
    stands = conversation.value(named(conversation, "loop_{u}.flow")) < 50
    return ("pump_dp", _loop(conversation)) if stands else None


def _pump(conversation: Conversation) -> Account:
    """At the pump itself: a pump that stands or a sensor that lies; and how long the cabin has."""
    flow, rise = named(conversation, "loop_{u}.flow"), conversation.measured("pump_dp", "pressure_rise")
    loop = _loop(conversation).upper()
    if rise is None or 20 < rise < SHUT_OFF_KPA:
        runs = f"Loop {loop} flows" if rise is None else f"Pump {loop} makes {rise:.0f} kPa: the flow sensor is out"
        return Account("watch", ((f"{runs}.", (flow, "check:pump_dp")),), "Nothing needs to be restarted.")
    since = onset(conversation.samples(flow), lambda value: value < 50)
    warming = slope(conversation.samples("core.temperature"), since)
    air = mean([conversation.value(f"{zone}.temperature") for zone in ("core", "lab")])
    warm = Figure(
        "hours_until_cabin_27",
        "h",
        f"({CABIN_LIMIT_C:g} - {air}) / ({warming})",
        ("core.temperature", "lab.temperature", "check:pump_dp"),
    )
    speed, current = (named(conversation, f"loop_{{u}}.pump_{what}") for what in ("speed", "current"))
    if conversation.value(speed) > 1000:
        supply = named(conversation, "loop_{u}.supply_temperature")
        text = (
            f"Pump {loop} turns at {rise:.0f} kPa, its shut-off head, draws half and moves nothing: the line is shut "
            "or frozen; see the supply's temperature before."
        )
        advice = f"Nothing is wrong with pump {loop}: do not restart it. Heat the loop and bypass its valve, move the "
        rest = "cold plate to the other loop, and shed heat to 9 kW (FR-11, FR-18)."
        return Account("warning", ((text, (flow, speed, supply, "check:pump_dp")),), advice + rest, (warm,))
    return Account(
        "warning",
        (
            (
                f"Pump {loop} stands: speed, current and, at the pump itself, pressure rise are zero; the flow sensor "
                "is right.",
                (flow, speed, current, "check:pump_dp"),
            ),
            (
                "The other loop carries its limit, less heat than goes in; the cabin warms steadily and the radiator "
                "does not bind.",
                ("thermal.heat_input", "thermal.heat_load", "thermal.radiator_bound", "core.temperature"),
            ),
        ),
        f"Waiting until morning is no option. Restart pump {loop} once, no more (FR-11); move the cold plate to the "
        "other loop and shed heat to 9 kW in the order of FR-18 within the hour.",
        (warm,),
        "Whether the pump runs again; one restart tells.",
    )


def _fission_fell(conversation: Conversation) -> bool:
    values = [value for _, value in conversation.samples("power.fission")]
    return max(values) - values[-1] > 0.5


def _convertor_check(conversation: Conversation) -> Check | None:
    return ("convertor_list", "") if _fission_fell(conversation) else None


def _supply(conversation: Conversation) -> Account:
    """The ledger: what the sources lost, or what loads gained; the battery only pays for it."""
    ledger = ("power.fission", "power.load", "battery.net")
    floor = _floor(conversation, f"{conversation.value('battery.energy'):g}", ("battery.energy",))
    result = conversation.check("convertor_list")
    if result is None:
        text = "Fission is as it was: what the battery gives, loads take or another source lacks."
        advice = f"Keep the battery on the bus, and shed deferrable loads in the order of FR-18. {KEEP}"
        return Account("watch", ((text, (*ledger, "solar.power")),), advice, floor, "Which load or source it is.")
    fission = [value for _, value in conversation.samples("power.fission")]
    lost = Figure("fission_lost_kw", "kW", f"{mean(fission[:3])} - {fission[-1]:g}", ("power.fission",), "now")
    out = [n for n in range(1, CONVERTORS + 1) if result["measured"][f"amplitude_{n}"] < HEALTHY]
    if len(out) == CONVERTORS:
        text = "All convertors stand and the reactor's coolant takes up no heat: it is scrammed, the battery is sound."
        return Account(
            "critical",
            ((text, ("check:convertor_list", "fission.coolant_step", *ledger)),),
            "Keep the battery on the bus and take the survival posture now. The reactor is started after 6 h or more, "
            f"with Risk Review's concurrence, and nobody within 1 km of it (FR-20). {KEEP}",
            (lost, *floor),
            "Why it scrammed.",
        )
    return Account(
        "warning",
        (
            (
                "Fission fell in one step while loads did not change, and supply less load is what the battery sees: "
                "the battery is sound.",
                ledger,
            ),
            (
                f"Convertors {', '.join(map(str, out))} stand, the others run at full amplitude; the reactor's coolant "
                "is unchanged.",
                ("check:convertor_list", "fission.coolant_step"),
            ),
            ("Gauge and voltage of the battery agree.", ("battery.soc", "battery.voltage_soc")),
        ),
        "Keep the battery on the bus. Shed deferrable loads now in the order of FR-18, and restart the convertors one "
        f"at a time, two hours apart, from here: nobody within 1 km of the reactor (FR-20). {KEEP}",
        (lost, *floor),
        "Whether the convertors start again.",
    )


def _rest_check(conversation: Conversation) -> Check | None:
    apart = abs(conversation.value("battery.soc") - conversation.value("battery.voltage_soc"))
    return ("ocv_rest", "") if apart > DISAGREE else None


def _charge(conversation: Conversation) -> Account:
    """Gauge against voltage: the lower counts (FR-19), and a string at rest decides."""
    gauge, voltage = conversation.value("battery.soc"), conversation.value("battery.voltage_soc")
    rested = conversation.measured("ocv_rest", "soc")
    true = min(gauge, voltage) if rested is None else rested
    on = ("check:ocv_rest", "battery.voltage_soc", "battery.soc")
    lacks = abs(conversation.value("battery.net"))
    charge = Figure("battery_true_soc", "%", f"{true:g} * 1", on, "now")
    figures = (charge, *_floor(conversation, f"{true:g} / 100 * {CAPACITY_KWH:g}", on))
    if rested is None:
        agree = ("Gauge and voltage agree; the lower one counts (FR-19).", ("battery.soc", "battery.voltage_soc"))
        return Account("watch", (agree,), f"Shed deferrable loads before the floor (FR-18). {KEEP}", figures)
    return Account(
        "warning",
        (
            (
                f"Gauge and voltage disagree, {gauge:.0f} % against {voltage:.0f} %, with the cells warm.",
                ("battery.soc", "battery.voltage_soc", "battery.temperature"),
            ),
            (
                f"A string at rest stands at {rested:.0f} %: the lower one counts (FR-19). The ledger closes, so that "
                "no load is hidden.",
                ("check:ocv_rest", "battery.net", "power.fission", "power.load"),
            ),
        ),
        f"Go by the voltage, not by the gauge. Shed {lacks:.1f} kW now in the order of FR-18, before the battery is "
        f"truly at 20 %; a full charge sets the gauge right. {KEEP}",
        figures,
        "Since when the gauge is out; the last full charge would tell.",
    )


LOOPS = tuple(
    f"loop_{{{which}}}.{what}"
    for which in "uo"
    for what in ("accumulator_level", "pressure", "supply_temperature", "return_temperature")
)
SUBJECTS = (
    Subject(
        words=r"accumulator|coolant",
        gauge=Gauge("loop_{u}.accumulator_level", 1, 10),
        channels=LOOPS,
        history_h=6,
        rules=("FR-11", "FR-10"),
        check=_level_check,
        explain=_coolant,
    ),
    Subject(
        words=r"flow of loop|\bpump\b",
        gauge=Gauge("core.temperature", 18, CABIN_LIMIT_C),
        channels=(
            *("loop_{u}.flow", "loop_{u}.pump_current", "loop_{u}.pump_speed", "loop_{o}.flow"),
            "loop_{u}.supply_temperature",
            *("thermal.heat_load", "thermal.heat_input", "thermal.radiator_bound", "thermal.coldplate_temperature"),
            *("core.temperature", "lab.temperature", "power.load"),
        ),
        history_h=4,
        rules=("FR-11", "FR-18"),
        check=_pump_check,
        explain=_pump,
    ),
    Subject(
        words=r"\bsupply\b|reactor|fission|convertor",
        gauge=Gauge("battery.soc", 20, 100),
        channels=(
            *("power.fission", "power.load", "battery.net", "battery.soc", "battery.energy", "battery.voltage_soc"),
            *("fission.coolant_step", "solar.power"),
        ),
        history_h=3,
        rules=("FR-20", "FR-18"),
        check=_convertor_check,
        explain=_supply,
    ),
    Subject(
        words=r"state of charge|gauge|battery shows",
        gauge=Gauge("battery.soc", 20, 100),
        channels=(
            *("battery.soc", "battery.energy", "battery.voltage", "battery.voltage_soc", "battery.temperature"),
            *("battery.net", "power.fission", "power.load"),
        ),
        history_h=2,
        rules=("FR-19", "FR-18"),
        check=_rest_check,
        explain=_charge,
    ),
)
