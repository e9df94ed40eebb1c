"""What the database should hold, as far as the answers tell.

Every item that is checked exactly belongs to one worker, which has at most one request under way.
So after a crash there are two possible states per worker: without and with that request, as a
whole. Counters are shared: theirs is the sum over the workers.
"""


class Ledger:
    """What one worker knows. `items` maps (table, key) to the item, or to None once deleted."""

    def __init__(self):
        self.items = {}
        self.counted = 0
        self.pending = None  # (changes, counted) of the request under way
        self.acknowledged = 0

    def begin(self, changes, counted=0):
        self.pending = (changes, counted)

    def done(self):
        changes, counted = self.pending
        self.items.update(changes)
        self.counted += counted
        self.pending = None
        self.acknowledged += 1

    def refused(self):
        self.pending = None

    def resolve(self, found):
        """Finds out from what is there whether the pending request was carried out."""
        if self.pending is None:
            return
        changes, _ = self.pending
        if all(found(name) == item for name, item in changes.items()):
            self.done()
            return
        torn = [
            name
            for name, item in changes.items()
            if found(name) == item and item != self.items.get(name)
        ]
        assert not torn, f"only a part of a request was carried out: {torn} of {list(changes)}"
        self.refused()

    def check(self, found):
        for name, item in self.items.items():
            actual = found(name)
            assert actual == item, f"{name} was acknowledged as\n  {item}\nand is\n  {actual}"
