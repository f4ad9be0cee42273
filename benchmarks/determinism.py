"""Is a world the same world however it comes about? Many flights of every scenario, one digest wanted for each.

Flights are spread over processes with hash seeds of their own, in an order of their own. Each comes about in one of
four ways: flown fresh, forked on the way, opened from what another flight left behind (as trials are), or rebuilt from
its commands. Half of them carry out every lever of the scenario's file, half nothing; those two ways to fly have a
digest each. Instruments are read on the way, in an order of the flight's own.

Run: python -m benchmarks.determinism [flights of each scenario, 1000 by default] [processes, 2] [scenario ...]
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mission import sensors
from mission.flight import act, called
from mission.published import sweep
from mission.world.engine import World

ROOT = Path(__file__).resolve().parents[1]
FLIGHTS, PROCESSES = 1000, 2
BATCHES = 8
"""Processes one after the other on each core, so that more hash seeds are tried; one more keeps their number odd, so
that every process has flights of every kind."""
WAYS = ("fresh", "fork", "opened", "rebuilt")
SEED = 7
"""Of the instruments: a digest has the seed in it."""


def flown(name: str, flyer: sweep.Flyer, way: str, rng: random.Random) -> str:
    """The digest of one flight."""
    scenario = sweep.scenarios()[name]
    world = opened(name) if way == "opened" else World(scenario, SEED)
    acts = sweep.plan(scenario, flyer)
    part = rng.randrange(len(acts) + 1)
    for number, (t, step) in enumerate(acts):
        if way == "fork" and number == part:
            world = world.fork()
        world.advance(max(t, world.now))
        look(world, rng)
        act(world, step)
    if way == "fork" and part == len(acts):
        world = world.fork()
    end = max(sweep.end(scenario), world.now)
    if way == "rebuilt":
        return World.rebuild(scenario, SEED, world.commands(), end).digest()
    world.advance(rng.uniform(world.now, end))
    look(world, rng)
    world.advance(end)
    return world.digest()


@cache
def _led_up(name: str) -> World:
    scenario = sweep.scenarios()[name]
    world = World(scenario, SEED + 1)
    world.advance(called(scenario))
    return world


def opened(name: str) -> World:
    """As trials are: what leads to the call is flown once in a process, then copied and given other instruments."""
    return _led_up(name).fork(SEED)


def look(world: World, rng: random.Random) -> None:
    """A few readings; they must not matter."""
    for channel in rng.sample(sensors.channels(), 5):
        world.read(channel.name, rng.uniform(0.0, world.now))


def batch(number: int, count: int, flights: int, names: list[str]) -> None:
    """Every `count`th flight from `number` on, in an order of its own; digests on standard output as JSON."""
    rng = random.Random(f"batch {number}")
    todo = [(name, n) for name in names for n in range(number, flights, count)]
    rng.shuffle(todo)
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name, n in todo:
        flyer = sweep.FLYERS[n % 2]
        found[f"{name} {flyer}"][flown(name, flyer, WAYS[n // 2 % 4], rng)] += 1
    sys.stdout.write(json.dumps(found))


def running(flights: int, processes: int, names: list[str]) -> Iterator[dict[str, dict[str, int]]]:
    """What every process found; so many of them at a time."""
    count = min(processes * BATCHES + 1, flights)
    waiting = list(range(count))
    while waiting:
        now, waiting = waiting[:processes], waiting[processes:]
        started = [_start(number, count, flights, names) for number in now]
        for process in started:
            text, _ = process.communicate()
            if process.returncode:
                sys.exit(f"a process failed with {process.returncode}")
            yield json.loads(text)


def _start(number: int, count: int, flights: int, names: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.determinism", "batch", *map(str, (number, count, flights)), *names]
    environment = {**os.environ, "PYTHONHASHSEED": str(7919 * number % 4294967295)}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["batch"]:
        batch(*map(int, arguments[1:4]), arguments[4:])
        return 0
    flights = int(arguments[0]) if arguments else FLIGHTS
    processes = int(arguments[1]) if len(arguments) > 1 else PROCESSES
    names = arguments[2:] or sorted(sweep.scenarios())
    start = time.monotonic()
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for part in running(flights, processes, names):
        for flight, digests in part.items():
            found[flight].update(digests)
    several = 0
    for flight, digests in sorted(found.items()):
        several += len(digests) > 1
        print(f"{flight:<34} {sum(digests.values()):5d} flights   {len(digests)} digest{'s' * (len(digests) > 1)}")
    total = sum(sum(digests.values()) for digests in found.values())
    taken = f"{total} flights of {len(names)} scenarios in {(time.monotonic() - start) / 60.0:.1f} min"
    print(f"{taken}: {'one digest for each' if not several else f'{several} with more than one digest'}")
    return 1 if several else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
