"""The table of `simsup world --csv`: complete, exact, and with the time of the mission."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from mission import flight, sensors, table
from mission.curves import drawn_times
from mission.world.engine import World, load_scenario
from mission.world.units import HOUR

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    world = World(load_scenario(ROOT / "cases/scenarios/sensor-frozen.yaml"), 0)
    world.advance(2.5 * HOUR)
    path = tmp_path_factory.mktemp("table") / "world.csv"
    count = table.write_csv(world, path, 600.0)
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == count
    return world, rows


def test_every_channel_is_there_true_read_and_with_its_quality(written):
    _, rows = written
    for channel in sensors.channels():
        heads = {
            f"{channel.name} true [{channel.unit}]",
            f"{channel.name} read [{channel.unit}]",
            f"{channel.name} quality",
        }
        assert heads <= set(rows[0])
    assert "core.pio2 true [mmHg]" in rows[0]


def test_a_row_holds_what_the_world_says(written):
    world, rows = written
    for row in rows[::5]:
        t = float(row["t [s]"])
        if t == round(t):
            assert float(row["lab.ppco2 true [mmHg]"]) == pytest.approx(world.truth("lab.ppco2", t), abs=1e-8)
            assert float(row["lab.ppco2 read [mmHg]"]) == world.read("lab.ppco2", t).value


def test_rows_come_every_step_and_at_every_event(written):
    world, rows = written
    times = {float(row["t [s]"]) for row in rows}
    assert {600.0 * index for index in range(16)} <= times
    events = {round(event["t"], 6) for event in world.base.events}
    assert events <= times
    told = {float(row["t [s]"]): row["events"] for row in rows if row["events"]}
    assert told[1800.0] == "incident: sensor_fault(channel=core.ppco2, mode=frozen)"


def test_a_reading_that_there_is_not_is_empty_and_says_so(written):
    _, rows = written
    assert rows[0]["bed_b.outlet_ppco2 read [mmHg]"] == ""
    assert rows[0]["bed_b.outlet_ppco2 quality"] == "no-data"


def test_mission_time_is_an_iso_duration(written):
    _, rows = written
    assert rows[0]["mission_time"] == "P0DT0H0M0S"
    assert table.iso(26 * HOUR + 61.25) == "P1DT2H1M1.25S"
    assert table.iso(59.9999999) == "P0DT0H1M0S"


def test_pandas_opens_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    world = World(load_scenario(ROOT / "cases/scenarios/nominal.yaml"), 0)
    world.advance(HOUR)
    table.write_csv(world, tmp_path / "x.csv", 600.0)
    frame = pandas.read_csv(tmp_path / "x.csv")
    assert frame["core.ppco2 true [mmHg]"].dtype == float
    assert pandas.to_timedelta(frame["mission_time"]).dt.total_seconds().tolist() == frame["t [s]"].tolist()


def test_a_line_is_upright_where_something_steps():
    world = World(load_scenario(ROOT / "cases/scenarios/pump-trip.yaml"), 0)
    world.advance(flight.ends(world.scenario))
    times = drawn_times(world)
    before = times[times.index(HOUR) - 1]
    assert HOUR - before < 1e-6
    assert world.truth("loop_a.flow", before) > 400.0
    assert world.truth("loop_a.flow", HOUR) == 0.0
