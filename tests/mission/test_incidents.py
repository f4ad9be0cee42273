"""The three incidents do what their descriptions promise, and can be told apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission import incidents
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]
EVEN = {"core": {"ppco2_mmhg": 2.65}, "lab": {"ppco2_mmhg": 2.65, "humidity_percent": 44.6}}
LONG_DAY = {"start_h": 23.9, "length_h": 0.1}
"""Nobody sleeps, as the reference figures assume."""


def crossed(world: World, zone: str, level: float, quantity: str = "ppco2") -> float:
    """Hours at which a mark was first passed."""
    return next(
        event["t"] / HOUR
        for event in world.log()
        if event["kind"] == "crossing"
        and (event["zone"], event["level"]) == (zone, level)
        and event["quantity"] == quantity
    )


def planted(name: str, **parameters: object) -> list[dict[str, object]]:
    return [{"incident": name, "onset_h": 0.0, "parameters": parameters}]


class TestBedDegradation:
    numbers = incidents.find("bed_degradation").numbers

    def test_the_air_fills_slowly(self, fly: Fly) -> None:
        world = fly("bed-degraded", 23.0, sleep=LONG_DAY)
        assert crossed(world, "core", 3.0) - 1.0 == pytest.approx(self.numbers["hours_to_3_mmhg"], rel=0.06)
        assert crossed(world, "core", 4.0) - 1.0 == pytest.approx(self.numbers["hours_to_4_mmhg"], rel=0.03)

    def test_it_tends_to_five_and_never_reaches_seven(self, fly: Fly) -> None:
        full = {"core": {"ppco2_mmhg": 5.2}, "lab": {"ppco2_mmhg": 5.4, "humidity_percent": 44.6}}
        faults = planted("bed_degradation", health=0.5)
        world = fly("bed-degraded", 23.0, sleep=LONG_DAY, zones=full, incidents=faults)
        assert world.truth("core.ppco2") == pytest.approx(self.numbers["steady_mmhg"], rel=0.01)
        assert world.state()["exposures"]["peak_ppco2_mmhg"] < 7.6

    def test_telemetry_shows_it_and_calls_power_normal(self, fly: Fly) -> None:
        world = fly("bed-degraded", 0.5)
        healthy = {name: world.truth(f"bed_a.{name}") for name in ("outlet_ppco2", "heater_duty", "power")}
        world.advance(2 * HOUR)
        assert world.truth("bed_a.outlet_ppco2") > 5 * healthy["outlet_ppco2"]
        assert world.truth("bed_a.heater_duty") / healthy["heater_duty"] == pytest.approx(0.75)
        assert world.truth("bed_a.power") == healthy["power"] == 0.86

    def test_both_zones_rise_together(self, fly: Fly) -> None:
        world = fly("bed-degraded", 4.0)
        rise = [world.truth(f"{zone}.ppco2") - world.truth(f"{zone}.ppco2", 2 * HOUR) for zone in ("core", "lab")]
        assert rise[0] == pytest.approx(rise[1], rel=0.03)

    def test_the_balance_finds_it(self, fly: Fly) -> None:
        result = fly("bed-degraded", 2.0).check("bed_balance", {"unit": "A"})
        assert result.measured["effective_flow"] == pytest.approx(20.5, rel=0.04)
        assert result.nominal["effective_flow"] == pytest.approx(41.0)
        assert result.measured["removal"] / result.nominal["removal"] == pytest.approx(0.5, rel=0.04)
        assert result.duration_s == 3600.0

    def test_right_the_second_bed(self, fly: Fly) -> None:
        world = fly("bed-degraded", 2.0, sleep=LONG_DAY)
        before = world.truth("power.load")
        assert world.command("start_bed", {"unit": "B"}).accepted
        assert world.truth("power.load") - before == pytest.approx(self.numbers["second_bed_kw"])
        world.advance(24 * HOUR)
        assert world.truth("core.ppco2") == pytest.approx(self.numbers["steady_with_both_beds_mmhg"], rel=0.05)
        assert not [
            e
            for e in world.log()
            if e["kind"] == "crossing" and e["quantity"] == "ppco2_1h_mean" and e["zone"] == "core"
        ]

    def test_wrong_lioh_burns_three_cans_a_day(self, fly: Fly) -> None:
        world = fly("bed-degraded", 1.0)
        made = 6 * 7.2e-4 * 60
        assert made * 24 / 1.92 == pytest.approx(3.2, abs=0.1)
        assert not world.command("open_lioh", {"zone": "core"}).accepted

    def test_wrong_to_wait_for_the_next_half_cycles(self, fly: Fly) -> None:
        world = fly("bed-degraded", 1.0 + 4.8)
        assert crossed(world, "core", 3.0, "ppco2_1h_mean") < 5.8


class TestFanStopped:
    numbers = incidents.find("fan_stopped").numbers

    def test_from_even_air_the_reference_hours(self, fly: Fly) -> None:
        world = fly("fan-stopped", 23.5, zones=EVEN, sleep=LONG_DAY, incidents=planted("fan_stopped"))
        for level, name in (
            (4.0, "lab_hours_to_4_mmhg"),
            (7.6, "lab_hours_to_7_6_mmhg"),
            (15.0, "lab_hours_to_15_mmhg"),
        ):
            assert crossed(world, "lab", level) == pytest.approx(self.numbers[name], rel=0.015)
        assert world.truth("core.ppco2", 2.5 * HOUR) == pytest.approx(self.numbers["core_mmhg_after_2_5_h"], abs=0.05)
        assert world.truth("core.ppco2", 9.0 * HOUR) == pytest.approx(self.numbers["core_mmhg_after_9_h"], abs=0.05)
        mean = (world.truth("core.ppco2", 2.5 * HOUR) + world.truth("lab.ppco2", 2.5 * HOUR)) / 2
        assert mean == pytest.approx(3.05, abs=0.03)

    def test_the_shipped_scenario_starts_from_rest(self, fly: Fly) -> None:
        world = fly("fan-stopped", 12.0)
        assert crossed(world, "lab", 4.0) - 1.0 == pytest.approx(2.09, abs=0.02)
        assert crossed(world, "lab", 7.6) - 1.0 == pytest.approx(8.73, abs=0.02)

    def test_opposite_slopes_tell_it_from_a_weak_bed(self, fly: Fly) -> None:
        world = fly("fan-stopped", 4.0)
        assert world.truth("lab.ppco2") > world.truth("lab.ppco2", 2 * HOUR)
        assert world.truth("core.ppco2") < world.truth("core.ppco2", 2 * HOUR)

    def test_the_lab_reading_is_stale_and_says_so(self, fly: Fly) -> None:
        world = fly("fan-stopped", 5.0)
        reading = world.read("lab.ppco2")
        assert (reading.quality, reading.t_s) == ("stale", 3600.0)
        assert reading.note == "the shared sampling line skips the lab"
        assert reading.value is not None
        assert reading.value + 1.0 < world.truth("lab.ppco2")
        assert world.read("lab.ppco2", 1800.0).quality == "good"

    def test_the_hand_held_meter_sees_the_pocket(self, fly: Fly) -> None:
        world = fly("fan-stopped", 5.0)
        result = world.check("handheld_co2", {"zone": "lab"})
        assert result.measured["ppco2"] == pytest.approx(world.truth("lab.ppco2"), abs=0.3)
        assert (result.duration_s, world.now) == (300.0, 5 * HOUR + 300.0)
        assert world.check("fan_check", {}).measured["speed"] < 20.0

    def test_a_seized_fan_needs_more_than_a_switch(self, fly: Fly) -> None:
        world = fly("fan-stopped", 2.0)
        result = world.command("set_imv", {"on": True})
        assert (result.accepted, result.reason) == (True, "commanded; the fan does not turn")
        assert world.truth("imv.speed") == 0.0
        world.command("repair_fan", {})
        world.advance(4 * HOUR)
        assert world.truth("imv.speed") == 3000.0

    def test_right_the_portable_fan(self, fly: Fly) -> None:
        world = fly("fan-stopped", 2.0, sleep=LONG_DAY)
        world.command("deploy_portable_fan", {"zone": "lab"})
        world.advance(23 * HOUR)
        gap = world.truth("lab.ppco2") - world.truth("core.ppco2")
        assert gap == pytest.approx(self.numbers["portable_fan_lab_over_core_mmhg"], abs=0.03)

    def test_right_everybody_to_the_core(self, fly: Fly) -> None:
        world = fly("fan-stopped", 2.0)
        world.command("move_crew", {"people": "CM4,CM5,CM6", "to": "core"})
        world.advance(12 * HOUR)
        assert world.state()["exposures"]["zones"]["lab"]["above_4_mmhg_s"] == 0.0
        assert world.truth("core.ppco2") < 3.0

    def test_wrong_the_second_bed(self, fly: Fly) -> None:
        helped, alone = fly("fan-stopped", 2.0), fly("fan-stopped", 8.0)
        helped.command("start_bed", {"unit": "B"})
        helped.advance(8 * HOUR)
        assert helped.truth("lab.ppco2") == pytest.approx(alone.truth("lab.ppco2"), rel=1e-9)


class TestMaskedLeak:
    numbers = incidents.find("masked_leak").numbers

    def test_the_gauge_is_flat_and_the_tank_pays(self, fly: Fly) -> None:
        world = fly("masked-leak", 12.0)
        for zone in ("core", "lab"):
            assert [world.truth(f"{zone}.pressure", h * HOUR) for h in range(13)] == pytest.approx(
                [70.3] * 13, abs=0.05
            )
        assert world.state()["leaks"][0]["kg_per_h"] == pytest.approx(self.numbers["leak_kg_h"], rel=0.01)
        n2, o2 = 80.0 - world.truth("tank.n2"), 60.0 - world.truth("tank.o2")
        assert n2 / 12 == pytest.approx(self.numbers["n2_makeup_kg_h"], rel=0.02)
        assert o2 / 12 == pytest.approx(self.numbers["o2_makeup_kg_h"], rel=0.02)
        assert 80.0 / (n2 / 12) == pytest.approx(self.numbers["n2_tank_hours"], rel=0.02)
        assert not [event for event in world.log() if event["kind"] == "crossing"]

    def test_the_flow_meter_says_what_is_lost(self, fly: Fly) -> None:
        world = fly("masked-leak", 12.0)
        hourly = [world.truth("makeup.n2_flow", h * HOUR) for h in range(2, 13)]
        assert hourly == pytest.approx([0.77] * 11, rel=0.15)

    def test_without_make_up_pressure_falls_and_oxygen_is_first(self, fly: Fly) -> None:
        world = fly("masked-leak", 20.0, makeup="off", sleep=LONG_DAY)
        slope = (world.truth("core.pressure", 2 * HOUR) - world.truth("core.pressure", HOUR)) / 0.133322368
        # 300 m3 in the reference; the closed airlock adds nothing.
        assert slope == pytest.approx(self.numbers["pressure_mmhg_h_without_makeup"], rel=0.03)
        for level, name in ((127.0, "hours_to_pio2_127_without_makeup"), (122.0, "hours_to_pio2_122_without_makeup")):
            assert crossed(world, "core", level, "pio2") == pytest.approx(self.numbers[name], rel=0.06)

    def test_nitrogen_trend_and_hatch_dwell_find_it(self, fly: Fly) -> None:
        world = fly("masked-leak", 6.0)
        trend = world.check("pn2_trend", {})
        assert trend.measured["mean_change"] == pytest.approx(self.numbers["pn2_trend_mmhg"], abs=0.04)
        assert trend.nominal["mean_change"] == pytest.approx(-0.004, abs=0.001)
        assert (trend.duration_s, world.state()["makeup"]["mode"]) == (1800.0, "auto")
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        dwell = world.check("hatch_dwell", {"zone": "lab"})
        assert dwell.measured["pressure_change"] == pytest.approx(self.numbers["lab_dwell_mmhg"], abs=0.04)
        assert world.state()["hatches"]["core-lab"] is True

    def test_right_close_the_lab_and_patch(self, fly: Fly) -> None:
        world = fly("masked-leak", 6.0)
        assert world.command("patch_leak", {"zone": "core"}).accepted
        world.advance(8 * HOUR)
        assert world.log()[-1]["result"] == "no hole found in the core" or world.state()["leaks"]
        world.command("patch_leak", {"zone": "lab"})
        world.advance(10 * HOUR)
        assert world.state()["leaks"] == []
        spent = world.truth("tank.n2")
        world.advance(15 * HOUR)
        assert world.truth("tank.n2") == pytest.approx(spent, abs=0.3)

    def test_closing_the_lab_keeps_the_core_tight(self, fly: Fly) -> None:
        world = fly("masked-leak", 6.0)
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        assert world.command("close_hatch", {"hatch": "core-lab"}).accepted
        start = world.now
        world.advance(start + HOUR)
        fall = (world.truth("lab.pressure", start) - world.truth("lab.pressure")) / 0.133322368
        # 2 mm in the lab alone: -7.15 mmHg/h at first (section 2.3).
        assert fall == pytest.approx(7.15, rel=0.02)
        assert world.truth("core.pressure") == pytest.approx(70.3, abs=0.05)

    def test_cooling_and_a_silent_generator_look_alike_but_keep_their_nitrogen(self, fly: Fly) -> None:
        cooling, generator = fly("cabin-cooling", 2.9), fly("oga-off", 3.0)
        fall = {
            "cooling": cooling.truth("core.pressure"),
            "generator": generator.truth("core.pressure") - generator.truth("core.pressure", 2 * HOUR),
        }
        cooling.advance(4.5 * HOUR)
        assert (cooling.truth("core.pressure") - fall["cooling"]) / 0.133322368 == pytest.approx(-1.8, abs=0.1)
        assert fall["generator"] / 0.133322368 == pytest.approx(-0.39, abs=0.03)
        for world in (cooling, generator):
            assert abs(world.check("pn2_trend", {}).measured["mean_change"]) < 0.05


def test_every_incident_is_described_and_found_by_name() -> None:
    numbers = [int(incident.id[1:]) for incident in incidents.INCIDENTS]
    assert numbers == sorted(set(numbers))
    assert set(numbers) <= set(range(1, 17))
    for incident in incidents.INCIDENTS:
        assert incidents.find(incident.name) is incident
        assert all((incident.truth, incident.shows, incident.confusable_with, incident.right, incident.wrong))
    with pytest.raises(ValueError, match=r"no incident 'fan_stoped'; near: fan_stopped"):
        incidents.find("fan_stoped")
