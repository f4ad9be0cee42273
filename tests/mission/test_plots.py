"""The pictures of `simsup world --plot`, by what stands in them: axes, names, limits, marks, readings."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mission import flight, rules, sensors
from mission.backdrop import prepare
from mission.curves import Curve
from mission.limits import limits, passings
from mission.pages import Page, names, overview, pages
from mission.story import Happening, Weight
from mission.strip import LANES, key, labels, marks
from mission.whereabouts import stays
from mission.world.engine import World, load_scenario
from mission.world.units import HOUR

ROOT = Path(__file__).parents[2]


def flown(name: str, hours: float | None = None) -> World:
    world = World(load_scenario(ROOT / f"cases/scenarios/{name}.yaml"), 0)
    world.advance(flight.ends(world.scenario) if hours is None else hours * HOUR)
    return world


def drawn(world: World, page: str, panel: str) -> Any:
    """The axis of one panel of a page that has it alone."""
    pytest.importorskip("matplotlib")
    from mission import plots

    whole = next(one for one in [overview(world.scenario), *pages()] if one.name == page)
    alone = Page(page, whole.title, tuple(one for one in whole.panels if one.title == panel))
    made = plots.figure(prepare(world), alone)
    return next(axis for axis in made.axes if axis.get_title(loc="left").startswith(panel))


def lines(axis: Any, name: str) -> Any:
    return next(line for line in axis.get_lines() if line.get_label() == name)


def texts(axis: Any) -> list[str]:
    return [text.get_text() for text in axis.texts]


def test_every_channel_is_in_one_panel_of_one_page_and_all_of_a_panel_have_its_unit():
    shown = [curve for page in pages() for panel in page.panels for curve in panel.curves]
    assert sorted(curve.name for curve in shown if curve.channel) == sorted(sensors.CATALOGUE)
    assert len({curve.name for curve in shown}) == len(shown)
    assert all({curve.unit for curve in panel.curves} == {panel.unit} for page in pages() for panel in page.panels)
    assert "other" not in [page.name for page in pages()]


def test_no_panel_has_more_curves_than_there_are_colours():
    assert max(len(panel.curves) for page in pages() for panel in page.panels) <= 4


def test_the_first_page_shows_what_the_scenario_is_judged_by_and_what_tells():
    shown = [name for panel in overview(flown("rover-stuck", 0.1).scenario).panels for name in names(panel)]
    assert shown[0] == "rover_1.cabin_co2"
    assert {"crew.outside", "rover_1.slip", "core.ppco2"} <= set(shown)
    assert len(overview(flown("nominal", 0.1).scenario).panels) % 2 == 0


def test_a_panel_names_its_quantity_unit_and_curves_and_follows_the_truth():
    world = flown("bed-degraded", 4.0)
    axis = drawn(world, "air", "ppCO2")
    assert axis.get_title(loc="left") == "ppCO2 [mmHg]"
    named = [text for text in texts(axis) if text.endswith(".ppco2")]
    assert named == ["airlock.ppco2", "lab.ppco2", "core.ppco2"]
    hours, values = lines(axis, "lab.ppco2").get_data()
    assert (hours[0], hours[-1]) == (0.0, 4.0)
    assert values[-1] == pytest.approx(world.truth("lab.ppco2"))
    assert axis.get_xlim() == (0.0, 4.0)


def test_limits_are_drawn_and_named_and_passings_stand_on_the_truth():
    world = flown("bed-degraded")
    axis = drawn(world, "air", "ppCO2")
    assert "core-air ≤ 4, lab-air ≤ 4" in texts(axis)
    assert any("FR-02 instant 5" in text for text in texts(axis))
    low, high = axis.get_ylim()
    assert low < 3.0
    assert high > 4.0
    triangles = [line for line in axis.get_lines() if line.get_marker() == "^"]
    stand = sorted((line.get_xdata()[0] * HOUR, line.get_ydata()[0]) for line in triangles)
    crossed = [event for event in world.base.events if event["kind"] == "crossing" and event["quantity"] == "ppco2"]
    assert [t for t, _ in stand] == pytest.approx([event["t"] for event in crossed])
    assert [value for _, value in stand] == pytest.approx([event["level"] for event in crossed])
    assert "FR-01" in texts(axis)


def test_frozen_readings_are_drawn_where_they_were_made_and_the_fault_is_hatched():
    world = flown("sensor-frozen", 4.0)
    axis = drawn(world, "air", "ppCO2")
    hatched = [one for one in axis.collections if one.get_hatch()]
    assert len(hatched) == 1
    box = hatched[0].get_paths()[0].get_extents()
    assert (box.x0, box.x1) == pytest.approx((0.5, 4.0), abs=0.05)
    stuck = {world.read("core.ppco2", t).value for t in (1 * HOUR, 2 * HOUR, 4 * HOUR)}
    assert len(stuck) == 1


def test_stale_readings_are_crosses_and_missing_ones_a_bar_under_the_axis():
    world = flown("nominal", 2.0)
    world.base.freeze_sensor("lab.ppco2", "calibration overdue")
    world.advance(4 * HOUR)
    axis = drawn(world, "air", "ppCO2")
    crosses = [line for line in axis.get_lines() if line.get_marker() == "x"]
    assert len(crosses) == 1
    beds = drawn(world, "life-support", "bed: outlet ppCO2")
    bars = [one.get_paths()[0].get_extents() for one in beds.collections if not one.get_clip_on()]
    assert len(bars) == 1
    assert bars[0].y1 < 0.0
    assert (bars[0].x0, bars[0].x1) == pytest.approx((0.0, 4.0), abs=0.03)


def test_nights_are_shaded_and_both_clocks_stand_on_the_page():
    pytest.importorskip("matplotlib")
    from mission import plots

    world = flown("fission-scram")
    page = next(one for one in pages() if one.name == "comms")
    made = plots.figure(prepare(world), page)
    made.canvas.draw()
    strip, panel = made.axes[0], made.axes[-1]
    night = next(one for one in panel.collections if one.get_alpha() == 0.07).get_paths()[0].get_extents()
    assert (night.x0, night.x1) == pytest.approx((11.31, 23.63), abs=0.02)
    assert [text for text in texts(panel) if text.startswith("T+")][:2] == ["T+00:00", "T+06:00"]
    local = [text for text in texts(strip) if text.endswith(":00")]
    assert local == ["12:00", "18:00", "sol 1 00:00", "06:00", "12:00"]


def test_what_is_the_same_on_each_page_is_drawn_once_and_looks_as_if_drawn_on_each():
    pytest.importorskip("matplotlib")
    from mission import plots

    prepared = prepare(flown("suit-leak"))
    for page in [overview(prepared.world.scenario), *(page for page in pages() if page.name in ("eva", "crew"))]:
        alone = plots.picture(plots.figure(prepared, page))
        assert np.array_equal(plots.stamped(prepared, page), alone), page.name


def test_a_course_that_two_pages_show_is_worked_out_once():
    asked: list[float] = []

    def truth(t: float) -> float:
        asked.append(t)
        return 0.0

    prepared = prepare(flown("nominal", 1.0))
    curve = Curve("core.ppco2", "mmHg", lambda world: truth, sensors.find("core.ppco2"))
    assert prepared.course(curve) is prepared.course(curve)
    assert prepared.readings(curve) is prepared.readings(curve)
    assert len(asked) == len(prepared.times)


def test_names_of_marks_do_not_stand_on_each_other():
    world = flown("bed-degraded")
    axis = drawn(world, "air", "ppCO2")
    renderer = axis.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in axis.texts if text.get_text() in ("FR-01", "FR-02")]
    assert len(boxes) >= 3
    assert not [(a, b) for a, b in combinations(boxes, 2) if a.overlaps(b)]


def test_dust_passes_the_depths_of_the_storm_rule_and_each_has_its_line_and_its_triangle():
    world = flown("dust-storm-regional")
    axis = drawn(world, "weather", "site: optical depth")
    assert {"FR-17 tau 1.5", "FR-12 tau 2, FR-17 dim 2"} <= set(texts(axis))
    stand = [line.get_xydata()[0] for line in axis.get_lines() if line.get_marker() == "^"]
    assert [level for _, level in stand] == pytest.approx([1.5, 2.0], abs=1e-3)
    assert [t for t, _ in stand] == pytest.approx([54.67, 68.86], abs=0.01)


def test_the_strip_has_a_lane_for_what_was_lost_and_who_was_where():
    pytest.importorskip("matplotlib")
    from mission import plots

    world = flown("suit-leak")
    made = plots.figure(prepare(world), overview(world.scenario))
    losses = next(line for line in made.axes[0].get_lines() if line.get_label() == "losses")
    assert list(losses.get_xdata()) == pytest.approx([3.4704, 3.4704], abs=1e-3)
    assert [stay[2] for stay in stays(world, "CM1")] == ["outside in a suit", "lost"]
    assert [stay[2] for stay in stays(world, "CM2")] == ["outside in a suit", "core"]
    assert any(text.get_text().startswith("X2   T+03:28:13  CM1 is lost") for text in made.texts)


def test_a_switch_is_drawn_from_no_to_yes():
    axis = drawn(flown("cable-fire", 2.0), "toxics", "alarm")
    assert [text for text in texts(axis) if text in ("no", "yes")] == ["no", "yes"]


def test_a_steady_quantity_looks_steady_and_a_count_starts_at_nothing():
    world = flown("nominal", 2.0)
    low, high = drawn(world, "power", "power: fission").get_ylim()
    assert high - low >= 10 * sensors.find("power.fission").noise
    assert drawn(world, "life-support", "lioh: cans").get_ylim()[0] < 0.0


def test_a_folder_gets_a_picture_a_block_and_a_book_all_of_them(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    from mission import plots

    two = [page for page in pages() if page.name in ("comms", "crew")]
    monkeypatch.setattr(plots, "pages", lambda: two)
    world = flown("nominal", 1.0)
    files = list(plots.draw(world, tmp_path / "nominal"))
    assert [file.name for file in files] == ["00-overview.png", "01-comms.png", "02-crew.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    assert list(plots.draw(world, tmp_path / "nominal.pdf")) == [tmp_path / "nominal.pdf"]
    assert (tmp_path / "nominal.pdf").read_bytes().startswith(b"%PDF")


def happening(t: float, weight: Weight) -> Happening:
    return Happening(t, "x", weight, "something")


def test_marks_are_numbered_by_lane_and_near_ones_share_a_label():
    told = [happening(0.0, "cause"), happening(10.0, "alarm"), happening(11.0, "alarm"), happening(50.0, "alarm")]
    alarms = next(lane for lane in LANES if lane.letter == "A")
    assert labels(marks([*told, happening(60.0, "note")]), alarms, 5.0) == [(10.0, "1-2"), (50.0, "3")]


def test_a_key_that_is_too_long_keeps_the_gravest_and_counts_the_rest():
    told = [*(happening(float(t), "act") for t in range(30)), happening(40.0, "harm")]
    lines_ = key(marks(told), 10, 60)
    assert len(lines_) == 10
    assert lines_[0].startswith("X1")
    assert lines_[-1] == "and 22 more; the timeline tells them"


def test_a_limit_of_a_rule_is_the_rules_own_number():
    scenario = load_scenario(ROOT / "cases/scenarios/nominal.yaml")
    assert [(one.level, one.name) for one in limits("battery.soc", scenario) if not one.objective] == [
        (40.0, "FR-19 first 40"), (30.0, "FR-19 second 30"), (20.0, "FR-19 floor 20"), (5.0, "FR-19 trip 5"),
    ]  # fmt: skip


def test_every_level_of_a_rule_or_of_hardware_is_drawn_with_its_number():
    scenario = load_scenario(ROOT / "cases/scenarios/nominal.yaml")
    named = {name: [one.name for one in limits(name, scenario)] for name in sensors.CATALOGUE}
    assert [one for names_ in named.values() for one in names_ if not one[-1].isdigit()] == []
    assert named["radiation.rate"] == ["FR-21 quiet 18.3"]
    assert named["rover_1.soc"] == [f"FR-15 back {rules.number('FR-15', 'back'):g}"]


@pytest.mark.parametrize(
    ("name", "curve"),
    [
        ("cable-fire", "lab.smoke"), ("ammonia-breach", "lab.nh3"), ("pump-trip", "thermal.coldplate_temperature"),
        ("fission-scram", "battery.soc"), ("solar-event", "radiation.rate"), ("suit-leak", "suit_1.co2"),
        ("rover-stuck", "rover_1.cabin_co2"), ("oga-cross-leak", "oga.h2_shown"), ("puncture", "lab.pio2"),
        ("oxygen-rising", "core.o2_share"),
    ],
)  # fmt: skip
def test_each_kind_of_mark_has_its_triangle_on_its_course(name: str, curve: str):
    assert curve in [passing.curve for passing in passings(flown(name))]
