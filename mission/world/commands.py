"""What can be ordered: the commands, their parameters, how long they take, and the gates they pass."""

from __future__ import annotations

from collections.abc import Mapping

from documents.words import hint, short
from mission import rules
from mission.world import hands
from mission.world.parts import PARTS
from mission.world.power import DEFERRABLE, LOADS
from mission.world.spec import CommandResult, CommandSpec, Parameter, Value, choice, number
from mission.world.units import HOUR, MINUTE


def _rule(rule_id: str, name: str) -> str:
    return str(rules.get(rule_id).numbers[name])


__all__ = ["COMMANDS", "CommandResult", "CommandSpec", "Parameter", "Value", "parse"]

_UNIT = choice("unit", "CO2 unit", "A", "B")
_ON = Parameter(name="on", kind="flag", description="true to run, false to stop")
_ZONE = choice("zone", "zone", "core", "lab", "airlock")
_HATCH = choice("hatch", "hatch", "core-lab", "core-airlock")
_LOAD = choice("load", "deferrable load", *DEFERRABLE)

_SPECS = (
    CommandSpec(
        name="start_bed",
        description=f"Start a CO2 unit: 41 m3/h of clean air at health 1, {LOADS['bed_b'] / 1000:g} kW.",
        parameters=(_UNIT,),
        gates="Refused while the unit is being repaired.",
    ),
    CommandSpec(name="stop_bed", description="Stop a CO2 unit.", parameters=(_UNIT,)),
    CommandSpec(
        name="repair_bed",
        description="Repair a CO2 unit. It is off until done, and then runs again if it ran before.",
        parameters=(_UNIT,),
        duration_s=4 * HOUR,
        power_w=200.0,
        gates="Refused while the unit is being repaired already.",
    ),
    CommandSpec(
        name="set_imv",
        description="Run or stop the inter-module fan, 238 m3/h between core and lab. A seized fan does not turn.",
        parameters=(_ON,),
        gates=(
            f"FR-09: after a smoke alarm it runs again only after a co_meter check of the zone within "
            f"{_rule('FR-09', 'fresh')} below {_rule('FR-09', 'co')} of CO, {_rule('FR-09', 'hcn')} of HCN and "
            f"{_rule('FR-09', 'hcl')} of HCl."
        ),
    ),
    CommandSpec(
        name="repair_fan",
        description="Repair the inter-module fan; it runs when done, unless FR-09 keeps it off as for set_imv.",
        duration_s=2 * HOUR,
        power_w=100.0,
        gates="Refused while it is being repaired already.",
    ),
    CommandSpec(
        name="deploy_portable_fan",
        description="Set up the portable fan in the passage: 60 m3/h between core and lab.",
        parameters=(choice("zone", "where it is set up", "core", "lab"),),
        duration_s=10 * MINUTE,
        gates="Refused while the core-lab hatch is closed. FR-09 as for set_imv.",
    ),
    CommandSpec(
        name="move_crew",
        description="Move people, by ids separated by commas or `all`.",
        parameters=(
            Parameter(name="people", kind="people", description="ids separated by commas, or all"),
            choice("to", "where to", "core", "lab"),
        ),
        duration_s=5 * MINUTE,
        gates="Refused while the core-lab hatch is closed, and for people in the shelter or outside the base.",
    ),
    CommandSpec(
        name="close_hatch",
        description="Close a hatch. The far side of core-lab is the lab.",
        parameters=(_HATCH,),
        gates="FR-22: refused while people are on its far side, unless they are in suits.",
    ),
    CommandSpec(
        name="open_hatch",
        description="Open a hatch.",
        parameters=(_HATCH,),
        gates=(
            f"At core-lab: FR-09 as for set_imv; FR-10: after an ammonia alarm {_rule('FR-10', 'chips')} nh3_chip "
            f"checks below {_rule('FR-10', 'clear')}, {_rule('FR-10', 'apart')} apart. FR-07: refused with more than "
            f"{_rule('FR-07', 'lock')} across it."
        ),
    ),
    CommandSpec(
        name="equalize_hatch",
        description="Let air through the valve of a closed hatch until both sides stand at one pressure.",
        parameters=(_HATCH,),
        duration_s=10 * MINUTE,
        gates=(
            "Refused while the hatch is open, what is behind it is vented or cycled, or the valve is open already. "
            "What is in the air goes along."
        ),
    ),
    CommandSpec(
        name="set_makeup",
        description="Automatic make-up of N2 and O2: auto, inhibited for a test, or off.",
        parameters=(choice("mode", "mode", "auto", "inhibited", "off"),),
        gates=(
            f"FR-06: inhibited from auto alone, and back to auto by itself after {_rule('FR-06', 'inhibit')}. FR-04: "
            f"from off to auto only with a pn2_trend check within {_rule('FR-04', 'trend')}, unless a zone with people "
            f"is below a PIO2 of {_rule('FR-04', 'absolute')}."
        ),
    ),
    CommandSpec(
        name="patch_leak",
        description="Search a zone for a hole and patch it; mends nothing if there is none.",
        parameters=(_ZONE,),
        duration_s=2 * HOUR,
        power_w=100.0,
        gates="Refused while the hatch to the zone is closed, unless somebody in a suit is inside.",
    ),
    CommandSpec(
        name="open_lioh",
        description=f"Open one LiOH can in a zone: takes up {_rule('FR-02', 'can')}, once.",
        parameters=(_ZONE,),
        gates=(
            f"FR-02: a handheld_co2 check of the zone within {_rule('FR-02', 'cross_check')}. FR-22: more than "
            f"{_rule('FR-22', 'cans')} need {_rule('FR-22', 'cues')} different CO2 checks within "
            f"{_rule('FR-22', 'age')}. FR-03 waives both: {_rule('FR-03', 'emergency')} for "
            f"{_rule('FR-03', 'sustained')}, or {_rule('FR-03', 'leave')}, in a zone."
        ),
    ),
    CommandSpec(
        name="set_oga",
        description="Set the oxygen generator's rate; 469 W + 272 W per kg/d, off at 0.",
        parameters=(number("kg_per_day", "kg of O2 a day", 0.0, 9.2),),
        gates=(
            f"FR-05: no higher rate while O2 is above {_rule('FR-05', 'caution')} in the core. Refused above 0 after a "
            "trip, during a purge and while the generator is being worked on."
        ),
    ),
    CommandSpec(
        name="suspend_exercise",
        description="No exercise for some hours; what is under way stops.",
        parameters=(number("hours", "hours", 0.0, 48.0),),
    ),
    CommandSpec(name="shed_load", description="Switch a deferrable load off.", parameters=(_LOAD,)),
    CommandSpec(name="restore_load", description="Switch a deferrable load on again.", parameters=(_LOAD,)),
    CommandSpec(
        name="vent_zone",
        description="Vent a closed, empty zone to the outside for 30 min: the air is lost.",
        parameters=(choice("zone", "zone", "lab", "airlock"),),
        duration_s=30 * MINUTE,
        gates=(
            f"FR-22: more than {_rule('FR-22', 'vent')} of air needs {_rule('FR-22', 'cues')} different checks of "
            f"it within {_rule('FR-22', 'age')}. Refused with people inside, in suits too, or with "
            "its hatch or the valve in it open."
        ),
    ),
)
HANDS = "Refused when nobody has hands for it."


def _told(spec: CommandSpec) -> CommandSpec:
    """With the gate that all work by hand has."""
    if spec.name not in hands.WORK:
        return spec
    return spec.model_copy(update={"gates": f"{spec.gates} {HANDS}".lstrip()})


COMMANDS: Mapping[str, CommandSpec] = {
    spec.name: _told(spec) for spec in (*_SPECS, *(spec for part in PARTS for spec in part.commands))
}


def parse(name: str, parameters: Mapping[str, Value], people: tuple[str, ...]) -> dict[str, Value]:
    """The parameters, each checked and in one spelling. Raises ValueError that says what is wrong."""
    if name not in COMMANDS:
        raise ValueError(f"no command {short(name)}; {hint(name, COMMANDS, cutoff=0.4)}")
    spec = COMMANDS[name]
    names = [parameter.name for parameter in spec.parameters]
    wrong = [f"{short(key)} is not one of them" for key in parameters if key not in names]
    wrong += [f"{key} is missing" for key in names if key not in parameters]
    if wrong:
        raise ValueError(f"{name} takes {', '.join(names) or 'no parameters'}; {', '.join(wrong)}")
    return {
        parameter.name: _value(name, parameter, parameters[parameter.name], people) for parameter in spec.parameters
    }


def _value(command: str, parameter: Parameter, value: Value, people: tuple[str, ...]) -> Value:
    where = f"{command}: {parameter.name}"
    match parameter.kind:
        case "choice":
            if value not in parameter.choices:
                raise ValueError(f"{where} must be one of {', '.join(parameter.choices)}; not {short(value)}")
            return value
        case "flag":
            if value is not True and value is not False:
                raise ValueError(f"{where} must be true or false; not {short(value)}")
            return value
        case "number":
            if isinstance(value, bool | str) or not parameter.low <= value <= parameter.high:
                raise ValueError(
                    f"{where} must be a number from {parameter.low:g} to {parameter.high:g}; not {short(value)}"
                )
            return float(value)
        case "people":
            return _people(where, value, people)
        case "text":
            if not isinstance(value, str) or not 0 < len(value) <= parameter.high or not value.isprintable():
                raise ValueError(f"{where} must be text of 1 to {parameter.high:g} characters on one line")
            return value


def _people(where: str, value: Value, people: tuple[str, ...]) -> str:
    given = people if value == "all" else tuple(part.strip() for part in str(value).split(",") if part.strip())
    unknown = [person for person in given if person not in people]
    if unknown or not given:
        raise ValueError(f"{where} must be of {', '.join(people)}, or all; not {short(value)}")
    return ",".join(sorted(set(given)))
