"""Harm by toxic gases: loads against a plain sum, limits passed at exact times, and what masks and walls keep out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mission import incidents
from mission.reports import reports
from mission.world.engine import World, load_scenario
from mission.world.harm import LIMITS, Load, Span
from mission.world.toxics import Toxics
from mission.world.track import Flow, Track
from mission.world.units import HOUR, MINUTE
from tests.mission.conftest import SCENARIOS

Fly = Callable[..., World]
LAB = 1
PPM_KG_M3 = {"co": 1.145e-6, "hcn": 1.105e-6, "hcl": 1.490e-6, "nh3": 0.696e-6}
"""One ppm at sea level and 25 C: 1/24.465 mol/L times the molar mass."""


def toxics(world: World) -> Toxics:
    block: Toxics = world.base.part("toxics")
    return block


def harm(world: World, **wanted: object) -> list[dict[str, Any]]:
    return [e for e in world.log() if e["kind"] == "harm" and all(e[k] == v for k, v in wanted.items())]


def steady(density: float, zones: int = 3) -> Track:
    """A gas that stands at `density` kg/m3 in every zone."""
    volumes = (200.0, 100.0, 15.0)[:zones]
    return Track(volumes, tuple(density * volume for volume in volumes))


class TestLimits:
    @pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
    @pytest.mark.parametrize("gas", ["co", "hcn", "hcl", "nh3"])
    def test_its_density_for_its_time_is_a_load_of_one(self, limit: Any, gas: str) -> None:
        track = steady(limit.ppm[gas] * PPM_KG_M3[gas])
        load = Load(limit, {gas: track}, [Span(0.0, LAB)])
        assert load(limit.window) == pytest.approx(1.0, rel=2e-3)
        assert load(0.5 * limit.window) == pytest.approx(0.5, rel=2e-3)

    def test_the_published_densities_of_carbon_monoxide(self) -> None:
        hour, day, _ = LIMITS
        assert 1e6 / hour.weights["co"] == pytest.approx(485.0, rel=0.005)
        assert 1e6 / day.weights["co"] == pytest.approx(114.0, rel=0.006)

    def test_gases_add_up(self) -> None:
        tracks = {gas: steady(0.5 * LIMITS[0].ppm[gas] * PPM_KG_M3[gas]) for gas in ("co", "hcn")}
        load = Load(LIMITS[0], tracks, [Span(0.0, LAB)])
        assert load(HOUR) == pytest.approx(1.0, rel=2e-3)
        assert load.most(HOUR) in ("co", "hcn")


@st.composite
def exposures(draw: st.DrawFn) -> tuple[Track, list[Span]]:
    """A gas that comes, mixes and goes, and somebody who walks about in it."""
    track = Track((200.0, 100.0, 15.0), (0.0, 0.0, 0.0))
    t = 0.0
    for _ in range(draw(st.integers(1, 4))):
        t += draw(st.integers(0, 5000))
        rate, clean = draw(st.floats(0, 1e-4)), draw(st.floats(0, 0.1))
        flows = (Flow("in", LAB, rate, 0.0), Flow("filter", 0, 0.0, clean))
        track.update(t, flows, ((0, LAB, 0.05), (LAB, 0, 0.05)))
    moments = sorted(draw(st.lists(st.integers(1, 20_000), max_size=4, unique=True)))
    zones = st.integers(-1, 2)
    spans = [Span(0.0, draw(zones))] + [Span(float(moment), draw(zones)) for moment in moments]
    return track, spans


class TestLoad:
    @given(exposures(), st.floats(0, 30_000))
    @settings(max_examples=50, deadline=None)
    def test_it_is_the_plain_sum_over_the_window(self, exposure: tuple[Track, list[Span]], t: float) -> None:
        track, spans = exposure
        limit, steps = LIMITS[0], 400
        weight = limit.weights["nh3"]
        start = max(0.0, t - limit.window)
        cuts = sorted({start, t, *(span.t0 for span in spans if start < span.t0 < t)})
        expected = 0.0
        for a, b in pairwise(cuts):
            zone = next(span.zone for span in reversed(spans) if span.t0 <= a)
            moments = [a + (b - a) * (index + 0.5) / steps for index in range(steps)] if zone >= 0 else []
            held = sum(track.masses(moment)[zone] / track.volumes[zone] for moment in moments)
            expected += weight * held * (b - a) / steps / limit.window
        assert Load(limit, {"nh3": track}, spans)(t) == pytest.approx(expected, rel=2e-3, abs=2e-3 * weight * 1e-6)

    @given(exposures(), st.floats(0, 30_000), st.floats(100, 20_000))
    @settings(max_examples=100, deadline=None)
    def test_its_bounds_hold(self, exposure: tuple[Track, list[Span]], a: float, length: float) -> None:
        track, spans = exposure
        for limit in LIMITS:
            load = Load(limit, {"nh3": track}, spans)
            found = load.enclose(a, a + length)
            values = [load(a + length * index / 40) for index in range(41)]
            room = 1e-9 * max(1.0, found.high)
            assert found.low - room <= min(values)
            assert max(values) <= found.high + room
            slopes = [(y - x) / (length / 40) for x, y in pairwise(values)]
            assert all(found.least - room <= slope <= found.most + room for slope in slopes)


class TestHarm:
    def test_nobody_is_harmed_without_toxics(self, fly: Fly) -> None:
        state = fly("nominal", 12.0).state()["toxics"]
        assert (state["harmed_people"], state["worst_smac_hours"]) == (0, 0.0)

    def test_the_limit_is_passed_where_the_mean_of_the_hour_says_so(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 4.0)
        first = harm(world, person="CM5", limit="smac_1h")[0]
        times = [first["t"] - HOUR * (index + 0.5) / 4000 for index in range(4000)]
        molar = 8.314462618 * 295.0
        mean = sum(world.truth("lab.nh3", t) * world.truth("lab.pressure", t) for t in times) / 4000
        density = mean * 1e-6 * 1000.0 / molar * 17.0305e-3
        assert density / (30.0 * PPM_KG_M3["nh3"]) == pytest.approx(1.0, rel=3e-3)
        assert (first["event"], first["gas"]) == ("harmed", "nh3")
        # 50 mg/s, two zones and a fan: ten minutes are enough in the lab, 26 in the core.
        assert (first["t"] - HOUR) / MINUTE == pytest.approx(9.7, abs=0.1)
        assert (harm(world, person="CM1", limit="smac_1h")[0]["t"] - HOUR) / MINUTE == pytest.approx(26.2, abs=0.1)

    def test_waiting_costs_the_crew(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 4.0)
        assert world.state()["toxics"]["harmed_people"] == 6
        assert {s["activity"] for s in world.state()["crew"].values()} == {"lost"}
        lost = harm(world, event="incapacitated")
        assert [e["person"] for e in lost][:2] == ["CM5", "CM6"]
        assert (lost[0]["t"] - HOUR) / MINUTE == pytest.approx(23.2, abs=0.1)

    def test_right_masks_and_a_closed_hatch_keep_everybody_whole(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 1.01)
        world.command("isolate_segment", {"loop": "b"})
        world.command("don_masks", {"people": "all"})
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        assert world.command("close_hatch", {"hatch": "core-lab"}).accepted
        world.command("start_filter", {"zone": "core"})
        world.advance(24 * HOUR)
        assert world.state()["toxics"]["harmed_people"] == 0
        assert world.state()["toxics"]["worst_smac_hours"] == pytest.approx(0.27, abs=0.02)

    def test_a_mask_makes_the_difference(self, fly: Fly) -> None:
        world = fly("nominal", 0.5)
        toxics(world).puff("nh3", "core", 60.0)
        world.command("don_masks", {"people": "CM1"})
        world.advance(world.now + 8 * MINUTE)
        people = world.state()["toxics"]["people"]
        assert people["CM1"]["smac_hours"] < 0.2 * people["CM2"]["smac_hours"]
        assert people["CM1"]["beyond"] == {}
        assert set(people["CM2"]["beyond"]) == {"smac_1h"}

    def test_a_trace_for_days_is_no_harm_for_it_is_no_hour(self, fly: Fly) -> None:
        world = fly("nominal", 0.0)
        for zone, grams in (("core", 2.0), ("lab", 1.0)):
            toxics(world).puff("co", zone, grams)
        world.advance(240 * HOUR)
        state = world.state()["toxics"]
        assert world.truth("core.co") > 10.0
        # Ten days at a fortieth of the 1-h SMAC are more than five hours of it, and still under the 24-h SMAC.
        assert state["worst_smac_hours"] > 4.0
        assert state["harmed_people"] == 0

    def test_the_day_counts_where_the_hour_does_not(self, fly: Fly) -> None:
        world = fly("nominal", 0.0)
        for zone, grams in (("core", 28.0), ("lab", 14.0)):
            toxics(world).puff("co", zone, grams)
        world.advance(30 * HOUR)
        limits = {e["limit"] for e in harm(world)}
        assert limits == {"smac_24h"}
        assert all(e["gas"] == "co" for e in harm(world))

    def test_who_is_lost_breathes_no_more(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 3.0)
        before = toxics(world).masks.breathed("CM5", world.now)
        world.advance(4 * HOUR)
        assert toxics(world).masks.breathed("CM5", world.now) == before

    def test_forks_and_rebuilds_agree(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 1.02)
        world.command("don_masks", {"people": "CM5"})
        other = world.fork()
        for one in (world, other):
            one.advance(2 * HOUR)
            one.command("move_crew", {"people": "CM1", "to": "lab"})
            one.advance(4 * HOUR)
        again = World.rebuild(world.scenario, world.seed, world.commands(), world.now)
        assert world.digest() == other.digest() == again.digest()

    def test_asking_often_changes_nothing(self, fly: Fly) -> None:
        quiet, asked = fly("ammonia-breach", 0.0), fly("ammonia-breach", 0.0)
        for index in range(200):
            asked.advance(index * 72.0)
            asked.state()
        for world in (quiet, asked):
            world.advance(4 * HOUR)
        assert quiet.digest() == asked.digest()


class TestSources:
    def test_ammonia_runs_out(self, fly: Fly) -> None:
        faults = [
            {
                "incident": "coolant_leak",
                "onset_h": 1.0,
                "parameters": {"variant": "ammonia", "loop": "b", "ammonia_mg_s": 500.0, "ammonia_kg": 0.5},
            }
        ]
        world = fly("ammonia-breach", 4.0, incidents=faults)
        empty = next(e for e in world.log() if e.get("event") == "source empty")
        assert empty["t"] - HOUR == pytest.approx(1000.0, abs=1e-5)
        assert toxics(world).tracks["nh3"].ledger(world.now)["released"] == pytest.approx(0.5, rel=1e-9)
        level = world.truth("loop_b.accumulator_level", empty["t"])
        assert world.truth("loop_b.accumulator_level", empty["t"] + 600.0) == pytest.approx(level, abs=0.02)

    def test_the_shipped_breach_has_two_kilograms(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 14.0)
        assert toxics(world).tracks["nh3"].ledger(world.now)["released"] == pytest.approx(2.0, rel=1e-9)

    def test_a_coolant_leak_wets_the_air(self, fly: Fly) -> None:
        leak, dry = fly("coolant-leak", 6.0), fly("coolant-leak", 6.0, incidents=[])
        more = [leak.truth(f"{zone}.humidity") - dry.truth(f"{zone}.humidity") for zone in ("lab", "core")]
        assert more == pytest.approx([10.0, 4.6], abs=0.5)
        ledger = leak.base.air.tracks["h2o"].ledger(leak.now)
        assert ledger["spilt"] == pytest.approx(0.25 * 5.0, rel=1e-6)
        assert toxics(leak).tracks["glycol"].ledger(leak.now)["released"] == pytest.approx(0.5 * 5.0 * 1.1e-3, rel=1e-6)

    def test_the_air_gets_what_the_accumulator_held_and_no_more(self, fly: Fly) -> None:
        world = fly("coolant-leak", 30.0)
        empty = next(e["t"] for e in world.log() if e["kind"] == "coolant")
        assert (empty - HOUR) / HOUR == pytest.approx(16.0, abs=0.01)
        assert world.base.air.tracks["h2o"].ledger(world.now)["spilt"] == pytest.approx(4.0, rel=1e-3)

    def test_isolation_ends_it_and_a_top_up_feeds_it(self, fly: Fly) -> None:
        isolated, fed = fly("coolant-leak", 6.0), fly("coolant-leak", 6.0)
        isolated.command("isolate_segment", {"loop": "a"})
        fed.command("top_up", {"loop": "a", "litres": 1.0})
        for world in (isolated, fed):
            world.advance(30 * HOUR)
        spilt = [world.base.air.tracks["h2o"].ledger(world.now)["spilt"] for world in (isolated, fed)]
        assert spilt == [pytest.approx(1.25, rel=1e-6), pytest.approx(4.5, rel=1e-3)]


class TestMaskOxygen:
    def test_masks_raise_the_pressure_of_the_zone(self, fly: Fly) -> None:
        masked, bare = fly("ammonia-false-alarm", 1.1), fly("ammonia-false-alarm", 1.1)
        masked.command("don_masks", {"people": "all"})
        for world in (masked, bare):
            world.advance(world.now + 9 * MINUTE)
        given = masked.base.air.tracks["o2"].ledger(masked.now)["masks"]
        assert given == pytest.approx(6 * 7 * 0.0175, rel=1e-6)
        rise = (masked.truth("core.pressure") - bare.truth("core.pressure")) * 7.50062
        assert rise == pytest.approx(1.4, abs=0.1)
        assert masked.state()["toxics"]["people"]["CM1"]["masked"] is False

    def test_how_long_somebody_was_bare_after_the_alarm_counts_until_mask_or_way_out(self, fly: Fly) -> None:
        def bare(*orders: tuple[str, dict[str, str]]) -> float:
            world = fly("ammonia-false-alarm", 1.1)
            for name, parameters in orders:
                assert world.command(name, parameters).accepted
            world.advance(2 * HOUR)
            return world.state()["toxics"]["bare_s"]

        assert bare() == 3600.0
        assert bare(("don_masks", {"people": "all"})) == pytest.approx(7 * MINUTE)
        assert bare(("move_crew", {"people": "all", "to": "core"})) == pytest.approx(11 * MINUTE)
        # One mask for two people is as late as the other.
        assert bare(("don_masks", {"people": "CM5"})) == 3600.0

    def test_it_goes_where_its_wearer_goes_and_stops_with_the_mask(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        world.command("don_masks", {"people": "CM5"})
        world.advance(world.now + MINUTE)
        assert world.base.air.config.mask_o2[LAB] > 0.0
        world.command("move_crew", {"people": "CM5", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        assert world.base.air.config.mask_o2 == (pytest.approx(0.0175 / 60.0), 0.0, 0.0)
        world.command("doff_masks", {"people": "CM5"})
        assert world.base.air.config.mask_o2 == (0.0, 0.0, 0.0)

    def test_wrong_ones_own_isolation_looks_like_a_confirmation(self, fly: Fly) -> None:
        """I9b: there is no ammonia, and the pressure of the cabin goes up all the same."""
        world, untouched = fly("ammonia-false-alarm", 1.01), fly("ammonia-false-alarm", 3.0)
        before = world.truth("core.pressure")
        world.command("don_masks", {"people": "all"})
        world.command("move_crew", {"people": "all", "to": "core"})
        world.advance(world.now + 5 * MINUTE)
        world.command("close_hatch", {"hatch": "core-lab"})
        world.command("isolate_segment", {"loop": "b"})
        world.advance(1.25 * HOUR)
        masks = (world.truth("core.pressure") - before) * 7.50062
        world.advance(3.0 * HOUR)
        later = (world.truth("core.pressure") - before) * 7.50062
        assert masks == pytest.approx(1.8, abs=0.2)
        # The core, with one loop less for its heat, goes on warming.
        assert later == pytest.approx(4.4, abs=0.5)
        assert abs(untouched.truth("core.pressure") - before) * 7.50062 < 0.3
        assert world.truth("lab.nh3") == 0.0
        assert world.check("nh3_chip", {"zone": "lab"}).measured["nh3"] < 3.0


class TestSenses:
    @staticmethod
    def said(world: World) -> str:
        return " ".join(report.text for report in reports(world, "crew"))

    def test_insulation_is_smelt_and_dust_is_not(self, fly: Fly) -> None:
        assert "There is a hot smell." in self.said(fly("cable-fire", 1.02))
        assert "smell" not in self.said(fly("dust-alarm", 1.02))
        assert "smell" not in self.said(fly("cable-fire", 0.9))

    def test_an_oven_smells_the_same(self, fly: Fly) -> None:
        world = fly("nominal", 1.0)
        assert world.command("service_suit", {"suit": "1"}).accepted
        assert "There is a hot smell." in self.said(world)
        assert world.check("co_meter", {"zone": "core"}).measured["co"] < 2.0
        world.advance(world.now + 5 * HOUR)
        assert "smell" not in self.said(world)

    def test_ammonia_is_smelt_above_its_mark_and_not_through_a_mask(self, fly: Fly) -> None:
        assert "ammonia" not in self.said(fly("ammonia-breach", 1.0 + 20.0 / 3600.0))
        world = fly("ammonia-breach", 1.03)
        assert world.truth("lab.nh3") > 30.0 > world.truth("core.nh3")
        assert self.said(world).count("sharp smell of ammonia") == 1
        world.command("don_masks", {"people": "CM5,CM6"})
        world.advance(world.now + MINUTE)
        lab = next(r.text for r in reports(world, "crew") if "in the lab, awake" in r.text)
        assert "ammonia" not in lab
        assert "ammonia" not in self.said(fly("ammonia-false-alarm", 1.1))

    def test_what_it_does_to_people_shows(self, fly: Fly) -> None:
        world = fly("ammonia-breach", 1.3)
        assert "CM5, CM6: eyes burn and they cough." in self.said(world)
        lost = World(load_scenario(SCENARIOS / "ammonia-breach.yaml"), 7)
        lost.advance(1.1 * HOUR)
        lost.command("move_crew", {"people": "CM1", "to": "lab"})
        lost.advance(1.42 * HOUR)
        assert "CM5, CM6 do not answer." in self.said(lost)


class TestIncidentNumbers:
    """I7 and I9: every number added to an incident's description, as the world has it."""

    def test_ammonia_by_the_minute(self, fly: Fly) -> None:
        numbers = incidents.find("coolant_leak").numbers
        world = fly("ammonia-breach", 4.0)
        found = {
            f"minutes_to_{word}_in_the_{zone}": (harm(world, person=person, limit=limit)[0]["t"] - HOUR) / MINUTE
            for word, limit in (("smac", "smac_1h"), ("lost", "idlh"))
            for zone, person in (("lab", "CM5"), ("core", "CM1"))
        }
        assert found == {name: pytest.approx(numbers[name], abs=0.1) for name in found}

    def test_a_wet_lab(self, fly: Fly) -> None:
        leak, dry = fly("coolant-leak", 6.0), fly("coolant-leak", 6.0, incidents=[])
        more = leak.truth("lab.humidity") - dry.truth("lab.humidity")
        assert more == pytest.approx(
            incidents.find("coolant_leak").numbers["humidity_percent_more_in_the_lab"], abs=0.5
        )

    def test_dilution(self, fly: Fly) -> None:
        """Generator and make-up off, nobody in: nitrogen alone moves the pressure."""
        numbers = incidents.find("oxygen_enrichment").numbers
        rich = {zone: {"ppo2_kpa": 21.09} for zone in ("core", "lab")}
        world = fly("nominal", 0.0, zones=rich, makeup="off", oga_kg_per_day=0.0)
        assert world.command("dilute_n2", {"to_kpa": 74.0}).accepted
        world.advance(6 * HOUR)
        reached = next(e["t"] for e in world.log() if e["kind"] == "dilution")
        assert reached / HOUR == pytest.approx(numbers["dilution_hours_to_74_kpa"], abs=0.08)
        assert 80.0 - world.truth("tank.n2") == pytest.approx(numbers["dilution_n2_kg"], abs=0.4)
        share = world.truth("core.ppo2", reached) / world.truth("core.pressure", reached)
        # Six people use up 52 Pa/h meanwhile.
        assert 100.0 * share == pytest.approx(numbers["diluted_percent"], abs=0.35)

    def test_wrong_to_dilute_while_the_valve_is_open(self, fly: Fly) -> None:
        world = fly("oxygen-rising", 2.0)
        world.command("dilute_n2", {"to_kpa": 74.0})
        world.advance(12 * HOUR)
        full = next(e["t"] for e in world.log() if e["kind"] == "dilution")
        shares = [e["level"] for e in world.log() if e.get("quantity") == "o2_share" and e["t"] > full]
        assert set(shares) == {28.5}
        assert world.truth("core.pressure") > 75.0
        assert world.truth("core.ppo2") > 21.1

    def test_the_fire_takes_a_day_to_pass_the_days_limit(self, fly: Fly) -> None:
        world = fly("cable-fire", 26.0)
        passed = harm(world, person="CM5")
        assert [(e["limit"], e["gas"]) for e in passed] == [("smac_24h", "hcl")]
        assert 12.0 < passed[0]["t"] / HOUR < 25.0
        assert world.state()["toxics"]["people"]["CM5"]["smac_hours"] / 25.0 == pytest.approx(0.47, abs=0.02)


class TestMasksInThinAir:
    """I5 and FR-04: what a mask keeps from its wearer is no exposure of theirs."""

    def test_who_is_masked_does_not_breathe_thin_air(self, fly: Fly) -> None:
        zones = {zone: {"ppo2_kpa": 17.0} for zone in ("core", "lab")}
        masked, bare = (fly("nominal", 0.0, zones=zones, makeup="off", oga_kg_per_day=0.0) for _ in range(2))
        assert masked.command("don_masks", {"people": "all"}).accepted
        for world in (masked, bare):
            world.advance(5 * MINUTE)
        worlds = [world.state()["exposures"]["zones"]["core"] for world in (masked, bare)]
        masked.advance(7 * MINUTE)
        assert worlds[0]["min_pio2_mmhg"] > worlds[1]["min_pio2_mmhg"]
        assert masked.base.air.config.breathing == (0, 0, 0)
        masked.advance(9 * MINUTE)
        assert masked.base.air.config.breathing == masked.base.air.config.crew

    def test_a_mask_carries_over_air_that_nobody_lives_in_and_no_further(self, fly: Fly) -> None:
        hole = [{"incident": "depressurisation", "onset_h": 1.0, "parameters": {"hole_mm": 40}}]
        bare = fly("puncture", 3.0, incidents=hole, makeup="off")
        lost = next(e["t"] for e in bare.log() if e["kind"] == "crew" and e["activity"] == "lost")
        world = fly("puncture", 1.0, incidents=hole, makeup="off")
        world.advance(lost - 3 * MINUTE)
        world.command("don_masks", {"people": "CM5"})
        world.advance(lost + 4 * MINUTE)
        assert {p: s["activity"] for p, s in world.state()["crew"].items() if s["zone"] == "lab"} == {
            "CM4": "lost",
            "CM5": "nominal",
            "CM6": "lost",
        }
        world.advance(lost + 6 * MINUTE)
        assert world.state()["crew"]["CM5"]["activity"] == "lost"
