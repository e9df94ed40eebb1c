"""What Monotable should reach in bench/compare, and whether a run did. bench/floor and bench/scale
measure the targets that need another server or more items."""

from report import megabytes, ratio

CONNECTIONS = 32

# row, peer, how many times the peer's requests per second
FASTER = [
    ("get", "local-memory", 20),
    ("get", "dynalite", 4),
    ("query-table", "local-memory", 10),
    ("query-index", "local-memory", 10),
    ("put", "local-memory", 8),
    ("put-indexed", "local-memory", 5),
    ("put", "relaxed", 0.6),
    ("put-indexed", "relaxed", 0.6),
    ("update", "local-memory", 10),
    ("transact-2", "local-memory", 20),
]

STARTUP_SECONDS = 0.050
IDLE_BYTES = 40e6
BATCH_WRITE_ITEMS = 100_000
BATCH_WRITE_SECONDS = 5
# So much less still counts as no less: one run of a row says no more.
NOISE = 0.05


def target_rows(results, titles):
    """Rows of what, target, measured and verdict for all that the run has figures of."""
    ours = results.get("monotable")
    if not ours:
        return []
    rows = []
    for name, peer, least in FASTER:
        mine, theirs = _speed(ours, name), _speed(results.get(peer), name)
        if mine and theirs:
            times = mine / theirs
            rows.append((f"{titles[name]}, to {results[peer]['name']}", "≥ " + _times(least),
                         _times(times), _verdict(times >= least)))
    batches = _speed(ours, "batch-write")
    if batches:
        seconds = BATCH_WRITE_ITEMS / (batches * 25)
        rows.append((f"{titles['batch-write']}: {BATCH_WRITE_ITEMS:,} items",
                     f"< {BATCH_WRITE_SECONDS} s", f"{seconds:.1f} s",
                     _verdict(seconds < BATCH_WRITE_SECONDS)))
    rows.append(("start-up on an empty folder", f"< {STARTUP_SECONDS * 1000:.0f} ms",
                 f"{ours['startup_seconds'] * 1000:.0f} ms",
                 _verdict(ours["startup_seconds"] < STARTUP_SECONDS)))
    rows.append(("memory when idle", "< " + megabytes(IDLE_BYTES), megabytes(ours["idle_bytes"]),
                 _verdict(ours["idle_bytes"] < IDLE_BYTES)))
    return rows + _more_connections(ours, titles)


def _more_connections(ours, titles):
    """256 connections must not be slower than 32 in any row; the worst one is told."""
    changes = []
    for name in ours["rows"]:
        few, many = _speed(ours, name), _speed(ours, name, 256)
        if few and many:
            changes.append((many / few, titles[name]))
    if not changes:
        return []
    change, title = min(changes)
    return [(f"256 connections, to 32 ({title} gains least)", "≥ " + _times(1), _times(change),
             _verdict(change >= 1 - NOISE))]


def _speed(result, name, connections=CONNECTIONS):
    figures = (result or {}).get("rows", {}).get(name, {}).get(connections, {})
    return None if "failure" in figures else figures.get("requests_per_second")


def _times(value):
    return f"{value:.2f} ×" if value < 2 else ratio(value)


def _verdict(reached):
    return "yes" if reached else "no"
