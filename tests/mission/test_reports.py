"""Reports: what their author could observe, how they know, and which sensor they share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mission.reports import Report, reports
from mission.world.engine import World
from mission.world.units import HOUR, MINUTE

Fly = Callable[..., World]


def said(world: World, source: str = "crew") -> str:
    return " ".join(report.text for report in reports(world, source))


def panels(world: World) -> list[Report]:
    return [report for report in reports(world, "crew") if report.shares]


def test_a_panel_shares_the_sensor_that_telemetry_reads(fly: Fly) -> None:
    world = fly("sensor-drift", 6.0)
    lab = next(report for report in panels(world) if "in the lab" in report.text)
    assert lab.shares == ("lab.pressure", "lab.ppo2", "lab.ppco2")
    assert lab.basis == "a panel that shows the base's own sensors"
    # The drift is on the panel too: no second witness.
    assert f"lab.ppco2 {world.read('lab.ppco2').value:g} mmHg" in lab.text
    assert world.truth("lab.ppco2") < 3.1


def test_senses_share_nothing_and_know_nothing_of_sensors(fly: Fly) -> None:
    world = fly("sensor-drift", 6.0)
    senses = [report for report in reports(world, "crew") if report.basis == "own senses"]
    assert [report.author for report in senses] == ["CM1", "CM4"]
    assert all(report.shares == () for report in senses)
    assert senses[1].text == "CM4, CM5, CM6 in the lab, awake. The fan in the passage can be heard."


def test_people_hear_a_big_hole_and_not_a_small_one(fly: Fly) -> None:
    loud = said(fly("puncture", 1.1))
    assert "Something hisses." in loud
    assert "Ears pop." in loud
    assert loud.count("Something hisses.") == 1
    assert "hisses" not in said(fly("masked-leak", 6.0))
    assert "hisses" not in said(fly("puncture", 0.9))


def test_people_hear_that_the_fan_stands_and_feel_the_air(fly: Fly) -> None:
    world = fly("fan-stopped", 11.0, sleep={"start_h": 23.0, "length_h": 1.0})
    text = said(world)
    assert "The fan in the passage is silent." in text
    assert "CM4, CM5, CM6: headache." in text
    assert "CM1" not in text.partition("headache")[2]
    assert "headache" not in said(fly("nominal", 6.0))


@pytest.mark.parametrize("name", ["cable-fire", "dust-alarm"])
def test_people_see_haze_and_not_what_it_is_of(fly: Fly, name: str) -> None:
    world = fly(name, 1.05)
    assert [report.author for report in reports(world, "crew") if "The air is hazy." in report.text] == ["CM5"]
    assert "hazy" not in said(fly(name, 0.9))


def test_sleepers_say_nothing(fly: Fly) -> None:
    world = fly("nominal", 18.0)
    assert [report.text for report in reports(world, "crew")] == ["Nobody is awake."]


def test_orbit_has_its_own_look_at_the_dust(fly: Fly) -> None:
    world = fly("nominal", 7.0)
    survey = reports(world, "orbital")[0]
    assert (survey.observed_s, survey.shares) == (6 * HOUR, ())
    assert survey.text.startswith("Dust over the site at T+06:00: optical depth 0.")
    # Ground and orbit err on their own; both are near 0.5.
    assert float(survey.text.rsplit(" ", 3)[1]) == pytest.approx(0.5, abs=0.2)


def test_an_alert_from_earth_is_told_when_it_is_in_and_not_before(fly: Fly) -> None:
    world = fly("solar-false-alert", 1.0)
    assert "Proton alert" not in said(world, "orbital")
    world.advance(1.5 * HOUR)
    alert = next(report for report in reports(world, "orbital") if report.author == "Earth")
    assert alert.observed_s == HOUR
    assert alert.received_s == HOUR + world.base.part("comms").light
    assert alert.shares == ("radiation.alert",)
    world.advance(8 * HOUR)
    assert reports(world, "orbital")[-1].text == "The proton alert of T+01:00 is over."


def test_true_and_false_alerts_read_alike(fly: Fly) -> None:
    true, false = (
        [report.text for report in reports(fly(name, 1.9), "orbital") if report.author == "Earth"]
        for name in ("solar-event", "solar-false-alert")
    )
    assert true == false != []


def test_maintenance_knows_history_work_and_stock(fly: Fly) -> None:
    world = fly("oga-false-trip", 2.0)
    world.command("purge_h2", {})
    world.advance(3 * HOUR)
    log = reports(world, "maintenance")
    assert log[0].text == "41 days before: OGA tripped on hydrogen, sensor A; dried and restarted after a purge."
    assert "T+02:30 purge_h2: the stack is purged." in [report.text for report in log]
    assert log[-1].text == "LiOH cans in the rack: 24."
    assert [report.received_s for report in log] == sorted(report.received_s for report in log)


def test_reading_reports_changes_nothing(fly: Fly) -> None:
    world = fly("puncture", 2.0)
    before = world.digest()
    for source in ("crew", "orbital", "maintenance"):
        assert reports(world, source) == reports(world, source) != []
    assert world.digest() == before


def test_an_unknown_source_lists_near_ones(fly: Fly) -> None:
    with pytest.raises(ValueError, match="no reports from 'crow'; near: crew"):
        reports(fly("nominal"), "crow")


def test_a_person_in_the_shelter_feels_the_shelters_air(fly: Fly) -> None:
    world = fly("solar-event", 1.5, crew=[{"id": f"CM{n}", "zone": "core"} for n in range(1, 7)])
    world.command("enter_shelter", {"people": "CM1,CM2,CM3"})
    world.advance(world.now + 5 * MINUTE)
    world.advance(7 * HOUR)
    text = said(world)
    assert "CM1, CM2, CM3 of them in the shelter." in text
    assert "CM1, CM2, CM3: headache." in text
