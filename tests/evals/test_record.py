"""What a model can write that no file can hold: it is recorded all the same, and never stops the instrument."""

from __future__ import annotations

import asyncio
import logging
import math

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from evals.adapters.job import Job
from evals.adapters.trial import run_trial
from evals.candidate import Candidate
from evals.contract import canonical
from evals.harness.sdk import as_json, prepare
from evals.record import parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ("plain words", "plain words"),
        ('{"a": NaN}', '{"a": NaN}'),
        ("[-Infinity]", "[-Infinity]"),
        ('"caf\\u00e9 \\ud83d\\ude80"', "café \U0001f680"),
        ('"a path: C:\\\\udata"', "a path: C:\\udata"),
        ("9" * 5000, "9" * 5000),
        ("[" * 100_000, "[" * 100_000),
        (None, None),
    ],
)
def test_text_is_read_as_json_where_it_is_json(text, value):
    assert parse(text) == value


@pytest.fixture
def fly(kettle, kettle_case):
    """Flies the kettle's reader on a script."""

    def run(*steps):
        job = Job(kettle, kettle_case(), Candidate(id="x", model="scripted/x"), 0, lambda *_: ScriptedModel(steps))
        return asyncio.run(run_trial(job))

    return run


def test_arguments_that_are_no_json_are_recorded_as_they_were_written(fly):
    wrong = function_call("read_gauge", '{"name": NaN}', call_id="c1")
    episode = fly([wrong], [assistant_message('{"verdict": "warm", "value": 20}')])
    assert [event.data["arguments"] for event in episode.trace if event.kind == "tool_call"] == ['{"name": NaN}']
    assert (episode.status.kind, len(episode.content_digest())) == ("completed", 64)


@pytest.mark.parametrize(
    "item",
    [
        function_call("read_gauge", '{"name": "\\ud83d"}', call_id="c1"),
        assistant_message("half a rocket: \ud83d"),
    ],
)
def test_half_a_character_is_the_candidates_failure_and_can_be_stored(fly, item):
    episode = fly([item])
    assert (episode.status.kind, episode.status.layer) == ("stopped", "candidate")
    assert "\ud83d" not in canonical(episode)


def test_an_output_that_is_not_a_number_is_null(kettle):
    from pydantic import BaseModel

    class Said(BaseModel):
        value: float

    assert as_json(Said(value=math.nan)) == {"value": None}


def test_what_a_tool_refused_is_not_printed_over_the_progress():
    prepare()
    assert logging.getLogger("openai.agents").handlers
