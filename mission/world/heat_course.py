"""Heat over time: a chain of segments, and the account of each, made up when somebody asks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from mission.world.cabin_heat import Hull, Outside
from mission.world.thermal_segment import Ledger, Segment, passed


class HeatCourse:
    """The segments of the warmed zones so far; `outside` gives what their structure loses heat to at a time."""

    def __init__(self, hulls: Sequence[Hull], outside: Callable[[float], Outside]) -> None:
        self._hulls, self._outside = hulls, outside
        self._starts: list[float] = []
        self.segments: list[Segment] = []
        self.books: list[Ledger] = []
        """The account at the start of the first segments; the others' are made up when somebody asks."""

    @property
    def last(self) -> Segment:
        return self.segments[-1]

    def at(self, t: float) -> Segment:
        """The segment that holds at `t`."""
        return self.segments[self._index(t)]

    def append(self, segment: Segment) -> None:
        """From its start on this one holds; what was set from outside at that instant stays in the account."""
        if self._starts and self._starts[-1] == segment.t0:
            given = self.last.given
            self.segments[-1] = replace(segment, given=segment.given + given) if given else segment
            del self.books[len(self.segments) - 1 :]
            return
        self._starts.append(segment.t0)
        self.segments.append(segment)

    def ledger(self, t: float) -> Ledger:
        """The account at `t`."""
        index = self._index(t)
        segment = self.segments[index]
        return passed(segment, self._book(index), self._hulls, self._outside(segment.t0), t)

    def _index(self, t: float) -> int:
        return max(bisect_right(self._starts, t) - 1, 0)

    def _book(self, last: int) -> Ledger:
        """The account when the segment number `last` began."""
        for index in range(len(self.books), last + 1):
            segment, book = self.segments[index], Ledger()
            if index:
                before = self.segments[index - 1]
                book = passed(before, self.books[-1], self._hulls, self._outside(before.t0), segment.t0)
            self.books.append(replace(book, given=book.given + segment.given))
        return self.books[last]
