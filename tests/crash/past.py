"""What tables held at every moment, as far as the answers tell."""

import bisect

from model import Ledger
from workload import COUNTERS

COUNTER_NAMES = {("extra", f"counter-{i}") for i in range(COUNTERS)}


class HistoryLedger(Ledger):
    """A ledger that also keeps the states that each item went through."""

    def __init__(self):
        super().__init__()
        self.states = {}

    def done(self):
        for name, item in self.pending[0].items():
            if item != self.items.get(name):
                self.states.setdefault(name, []).append(item)
        super().done()


class Moment:
    """All that the tables hold while no request is under way."""

    def __init__(self, ledgers, others):
        """others are the items that nobody writes any more."""
        self._items = dict(others)
        for ledger in ledgers:
            self._items.update(
                {name: item for name, item in ledger.items.items() if item is not None}
            )
        self._counted = sum(ledger.counted for ledger in ledgers)

    def check(self, table, found, what):
        """That a copy of a table holds this moment. Of the counters, only the sum is known."""
        found = dict(found)
        counters = [found.pop(name) for name in COUNTER_NAMES if name in found]
        expected = {name: item for name, item in self._items.items() if name[0] == table}
        missing = sorted(set(expected) - set(found))
        surplus = sorted(set(found) - set(expected))
        assert not missing and not surplus, f"{what} lacks {missing} and has {surplus}"
        for name, item in expected.items():
            assert found[name] == item, f"{what} has {found[name]} instead of {item}"
        if table == "extra":
            total = sum(int(counter["n"]["N"]) for counter in counters)
            assert total == self._counted, f"{what} counts {total} instead of {self._counted}"


class Timeline:
    """The moments of a run, by the milliseconds of the clock at which they began. Each lasts until
    the next."""

    def __init__(self):
        self._times = []
        self._moments = []

    def record(self, now, moment):
        """The newest moment; it replaces another of the same time."""
        if self._times and self._times[-1] == now:
            self._moments[-1] = moment
            return
        self._times.append(now)
        self._moments.append(moment)

    def choose(self, random, before):
        """A time earlier than another, and its moment; None if there is none. A moment is as likely
        as any other, however long it lasted."""
        earlier = bisect.bisect_left(self._times, before)
        if earlier == 0:
            return None
        first = random.randrange(earlier)
        begin = self._times[first]
        end = self._times[first + 1] if first + 1 < earlier else before
        time = random.choice([begin, end - 1, random.randrange(begin, end)])
        return time, self._moments[first]
