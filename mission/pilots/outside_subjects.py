"""What a Weather & Navigation officer knows of proton alerts, storms, suits and rovers."""

from __future__ import annotations

import re

from mission.pilots.conversation import Conversation, hours
from mission.pilots.work import Account, Check, Figure, Gauge, Subject, mean, named, slope, unit

WALK_KM_H = 2.7
LOCK_MIN = 10
BACKGROUND_UGY_H = 9.0
DESIGN_O2_KG_H = 0.079
"""A sound suit at design work."""
DESIGN_WORK_W = 350.0
"""Above the metabolic power of design work, 293 W, with its scatter."""
HELMET_MMHG = 8.0
"""Where FR-13 calls people back."""
SUIT_LEAK_KG_H = 0.02
"""What FR-13 calls a leak."""
STANDING_KW = 0.8
RESCUE_TAU = 4.0
RESCUE_CHARGE = 80.0
SOL_H = 24.66
TAU_LIMIT = 2.0
TAU_RISE_LIMIT = 0.5
QUIET = "A detector at its background says nothing before particles can be here."
FLARE = re.compile(r"flare at (T[+-][\d:]+)\. Particles can arrive (\d+) to (\d+) min")


def _alert(conversation: Conversation) -> Account:
    """The window is counted from the flare, not from the alert; a quiet detector says nothing before it."""
    flares = [found for one in conversation.reports("orbital") if (found := FLARE.search(str(one["text"])))]
    quiet = ("radiation.rate", "radiation.alert", "comms.light_time")
    if not flares or conversation.value("radiation.alert") < 1:
        text = "No alert stands and the detector is at its background."
        return Account("nominal", ((text, (*quiet, "report:orbital")),), "FR-21 asks for nothing now.")
    flare, first, last = flares[-1].groups()
    since = f"{hours(flare):g} + {{minutes}} / 60 - {conversation.now():g}"
    figures = tuple(
        Figure(name, "h", since.format(minutes=minutes), ("report:orbital", "radiation.alert"))
        for name, minutes in (("earliest_arrival_h", first), ("latest_arrival_h", last))
    )
    here = conversation.value("radiation.rate") > 2 * BACKGROUND_UGY_H
    detector = "The detector is above twice its background: particles are here." if here else QUIET
    findings = (
        (f"The flare was at {flare}: the window is counted from there, not from the alert.", ("report:orbital",)),
        (detector, quiet),
        ("FR-12 lets nobody out under an alert; FR-21 sends everybody to the shelter.", ("rule:FR-12", "rule:FR-21")),
        ("People, fan and CO2 of the shelter.", ("shelter.people", "shelter.fan_speed", "shelter.ppco2")),
    )
    stands = conversation.value("shelter.fan_speed") < 200
    air = "Its fan stands and is to be started or repaired first." if stands else "Its fan runs; leave it on."
    shelter = f"Everybody in the shelter within 30 min, its CO2 looked at every 30 min (FR-21). {air}"
    gap = "Whether this alert is a true one, and how large the event will be."
    if not conversation.value("crew.outside"):
        return Account(
            "critical" if here else "warning",
            findings,
            f"No-go: nobody goes out under an alert. {shelter}",
            figures,
            gap,
        )
    walk = f"{conversation.value('eva.distance'):g} / {WALK_KM_H} + {LOCK_MIN} / 60"
    inside = Figure("inside_h", "h", walk, ("eva.distance",), "from now, called back now")
    margin = hours(flare) + float(first) / 60 - conversation.now()
    late = conversation.value("eva.distance") / WALK_KM_H + LOCK_MIN / 60 > margin
    text = f"Called back now they {'cannot' if late else 'can'} be inside before the first can be here."
    return Account(
        "critical",
        (*findings, (text, ("eva.distance", "report:orbital"))),
        f"No-go for any more work: call them back at once, every minute counts. {shelter}",
        (inside, *figures),
        gap,
    )


def _dust_check(conversation: Conversation) -> Check | None:
    depth = [value for _, value in conversation.samples("site.tau")]
    if depth[-1] - depth[0] < 0.1:
        return None
    return ("albedo_camera" if conversation.value("site.daylight_left") > 0.5 else "orbital_map"), ""


def _dust(conversation: Conversation) -> Account:
    """The depth's rise beside its level, and where the dust is: in the air, or on the panels."""
    depth = conversation.samples("site.tau")
    now, rise = depth[-1][1], slope(depth)
    per_sol = Figure("tau_rise_per_sol", "1/sol", f"{rise} * {SOL_H}", ("site.tau",), "last sol")
    made = conversation.calculation(per_sol.expression)
    if made is None:
        return Account("unknown", (), "The rise of the depth has to be worked out first.", (per_sol,))
    grows = made[1]
    air = ("site.tau", "site.visibility")
    checks = ("check:albedo_camera", "check:orbital_map")
    if grows < TAU_RISE_LIMIT and now < TAU_LIMIT:
        text = f"Optical depth is {now:.2f} and changes by {grows:.2f} a sol: within both limits of FR-12."
        calm = abs(grows) < 0.1
        advice = "Go, while there is light." if calm else "Go, while there is light, and watch the depth: it changes."
        return Account("nominal" if calm else "watch", ((text, (*air, *checks)),), advice, (per_sol,))
    recent = slope(depth, depth[-1][0] - 8)
    figures = (per_sol, Figure("hours_until_tau_2", "h", f"({TAU_LIMIT:g} - {now:g}) / ({recent})", ("site.tau",)))
    return Account(
        "warning",
        (
            ("Optical depth rises through the sol, and sight along the horizon falls with it.", air),
            ("Less light comes straight from the sun than under a clear sky: the dust is in the air.", checks),
            ("FR-12 forbids an EVA at that rise, whatever the level; FR-17.", ("rule:FR-12", "rule:FR-17")),
        ),
        f"No-go: the depth is {now:.1f} and rises by more than {TAU_RISE_LIMIT:g} a sol (FR-12). A storm has begun, "
        "and brushed panels gain nothing under it; propose the storm posture of FR-17.",
        figures if now < TAU_LIMIT else figures[:1],
        "How large the storm is; the next orbital map would tell.",
    )


def _use(conversation: Conversation, suit: str) -> list[float]:
    """kg/h of oxygen of a suit, in the latter half of what was read."""
    values = [value for _, value in conversation.samples(named(conversation, f"suit_{suit}.o2_rate"))]
    return values[len(values) // 2 :]


def _decay_check(conversation: Conversation) -> Check | None:
    one, other = (_use(conversation, suit) for suit in ("{u}", "{o}"))
    apart = sum(one) / len(one) - sum(other) / len(other)
    return ("suit_pressure_decay", unit(conversation) or "1") if apart > SUIT_LEAK_KG_H else None


def _suit(conversation: Conversation) -> Account:
    """Oxygen without work to show for it leaks: heart and metabolism tell, the decay of pressure settles it."""
    bottle, rate, heart, power, pressure = (
        named(conversation, f"suit_{{u}}.{what}") for what in ("o2", "o2_rate", "heart_rate", "metabolic", "pressure")
    )
    use = mean(_use(conversation, "{u}"))
    left = Figure("suit_o2_left_h", "h", f"{conversation.value(bottle):g} / ({use})", (bottle, rate))
    fall = conversation.measured("suit_pressure_decay", "pressure_change")
    result = conversation.check("suit_pressure_decay") or {}
    if (helmet := conversation.value(named(conversation, "suit_{u}.co2"))) >= HELMET_MMHG:
        text = f"CO2 in the helmet is at {helmet:.1f} mmHg, whatever the oxygen does (FR-13)."
        found = (text, (named(conversation, "suit_{u}.co2"), named(conversation, "suit_{u}.fan")))
        return Account("critical", (found,), "Recall the EVA at once and purge the helmet (FR-13).", (left,))
    sound = fall is None or fall > 1.5 * float(result["nominal"]["pressure_change"])
    work = (rate, heart, power, named(conversation, "suit_{o}.o2_rate"))
    if sound or conversation.value(power) > DESIGN_WORK_W:
        text = "Oxygen goes with the work, by the other suit, heart rate and power; nothing shows a leak."
        found = (text, (*work, "check:suit_pressure_decay"))
        return Account("watch", (found,), "Go on at an easy pace, and look again in 30 min (FR-14).", (left,))
    return Account(
        "critical",
        (
            ("The suit uses far more oxygen than the other at the same heart rate and power: no work does that.", work),
            (
                f"With work stopped and the bottle shut its pressure fell by {-(fall or 0.0):.1f} kPa in 3 min, more "
                "than a sound suit's: it leaks, while the regulator holds the pressure.",
                ("check:suit_pressure_decay", pressure),
            ),
        ),
        "Recall the EVA at once: an unexplained leak above 0.02 kg/h is enough (FR-13). A slow pace stops no leak. "
        "Leave the secondary pack shut.",
        (
            Figure("suit_leak_kg_h", "kg/h", f"{use} - {DESIGN_O2_KG_H}", (rate, "check:suit_pressure_decay"), "now"),
            left,
        ),
        "Where the suit leaks, and whether the leak grows.",
    )


def _slip(conversation: Conversation) -> float:
    values = [value for _, value in conversation.samples(named(conversation, "rover_{u}.slip"))][-3:]
    return sum(values) / len(values)


def _way_check(conversation: Conversation) -> Check | None:
    return ("odometry_compare", unit(conversation) or "1") if _slip(conversation) > 40 else None


def _rover(conversation: Conversation) -> Account:
    """Wheels that roll make no way: landmarks say where it is, its energy how long people can stay."""
    speed, slip, distance, energy = (
        named(conversation, f"rover_{{u}}.{what}") for what in ("speed", "slip", "distance", "energy")
    )
    haven = f"{conversation.value(energy):g} / {STANDING_KW}"
    figures = (Figure("rover_haven_h", "h", haven, (energy,), "from now, standing"),)
    if _slip(conversation) <= 40:
        return Account("watch", (("The wheels hold, and the way is made.", (speed, slip)),), "Drive on.", figures)
    values = [value for _, value in conversation.samples(slip)][-6:]
    ground = f"{conversation.value(speed):g} * (1 - {mean(values)} / 100)"
    figures = (Figure("rover_ground_speed", "km/h", ground, (speed, slip), "now"), *figures)
    result = conversation.check("odometry_compare")
    gap = "Where it is: landmarks are compared while there is a link." if result is None else "Soft ground or a drive."
    found = ("The wheels roll and slip: it makes hardly any way and spends its energy.", (speed, slip, energy))
    lost: tuple[tuple[str, tuple[str, ...]], ...] = ()
    if result is not None:
        behind = float(result["measured"]["behind_account"]) / 1000
        took = hours(result["finished"]) - hours(result["started"])
        place = f"{conversation.value(distance):g} + {conversation.value(speed):g} * {took:.4g} - {behind:.4g}"
        on = (distance, speed, "check:odometry_compare")
        figures = (Figure("rover_from_base_km", "km", place, on, str(result["finished"])), *figures)
        claim = named(conversation, "rover_{u}.position_error")
        text = f"Landmarks put it {behind:.1f} km behind its wheels' account, far beyond the error it claims (FR-16)."
        on_foot = conversation.value(distance) - behind
        lost = (
            (text, ("check:odometry_compare", claim, "rule:FR-16")),
            (f"That is {on_foot / WALK_KM_H:.1f} h on foot; FR-14 allows 5 km.", ("rule:FR-14", *on)),
        )
    advice = f"Stop, and stay aboard as a safe haven: nobody walks, and nobody drives on. {_rescue(conversation)}"
    return Account("critical", (found, *lost), advice, figures, gap)


def _rescue(conversation: Conversation) -> str:
    """When the other rover may leave: by dust, by its charge, and with a word with the crew (FR-16)."""
    other = named(conversation, "rover {o}")
    charge, tau = conversation.value(named(conversation, "rover_{o}.soc")), conversation.value("site.tau")
    if tau >= RESCUE_TAU or charge < RESCUE_CHARGE:
        return f"A rescue waits: tau has to be below {RESCUE_TAU:g} and {other} charged to {RESCUE_CHARGE:g} % (FR-16)."
    when = "in this pass" if conversation.value("comms.link") >= 1 else "with the next pass"
    return f"Send {other} to the rescue {when}, with a word with the crew (FR-16)."


SUIT = tuple(
    f"suit_{{{which}}}.{what}"
    for which in "uo"
    for what in ("o2", "o2_rate", "co2", "fan", "heart_rate", "metabolic", "pressure")
)
ROVER = ("energy", "soc", "slip", "current", "speed", "odometer", "distance", "position_error", "crew")
SUBJECTS = (
    Subject(
        words=r"proton|solar particle",
        gauge=Gauge("radiation.rate", 0, 2 * BACKGROUND_UGY_H, advice="Go: the detector is at its background."),
        channels=(
            *("radiation.rate", "radiation.alert", "comms.light_time", "crew.outside", "eva.distance", "eva.elapsed"),
            *("shelter.people", "shelter.fan_speed", "shelter.ppco2"),
        ),
        history_h=1,
        rules=("FR-21", "FR-12"),
        reports=("orbital",),
        explain=_alert,
    ),
    Subject(
        words=r"\brover\b",
        gauge=Gauge("rover_{u}.speed", 4, 12, advice="Drive on: it rolls as it should."),
        channels=(
            *(f"rover_{{u}}.{what}" for what in ROVER),
            *("rover_{o}.soc", "comms.link", "comms.next_pass", "site.tau", "site.daylight_left"),
        ),
        history_h=0.5,
        rules=("FR-16", "FR-14"),
        check=_way_check,
        explain=_rover,
    ),
    Subject(
        words=r"\bsuit \d",
        gauge=Gauge("suit_{u}.pressure", 27.6, 31, advice="Go on: the suit holds its pressure."),
        channels=(*SUIT, "eva.distance", "eva.elapsed"),
        history_h=0.75,
        rules=("FR-13", "FR-14"),
        check=_decay_check,
        explain=_suit,
    ),
    Subject(
        words=r"optical depth|\bdust\b|\bstorm\b",
        gauge=Gauge("site.tau", 0, TAU_LIMIT, advice="Go: the depth is below its limit."),
        channels=(
            *("site.tau", "site.visibility", "site.wind", "site.gust", "site.ltst", "site.daylight_left"),
            *("forecast.tau_1_sol", "forecast.storm_chance"),
        ),
        history_h=24,
        rules=("FR-12", "FR-17"),
        check=_dust_check,
        explain=_dust,
    ),
)
