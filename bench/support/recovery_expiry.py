"""Time to live on a large table: what it takes to list the items, to wait, and to delete those that
expire, beside a scan. The time is a test clock's, which moves when it is told to."""

import time

import report
import servers
from client import call, call_own
from load import LoadError, load_items, run_load
from tables import create_table

# The data set's items expire a day later, one in a hundred, and months later.
CLOCK = "2026-01-15T10:00:00Z"
DUE_SHARE = 100
A_DAY_AND_MORE = 24 * 3600 + 60
SCAN_PAGE = 100  # items; the generator's

MOST_SECONDS = 10  # for a million items, 1 % of which expire
MOST_OF_SCAN = 0.1  # of its CPU time, for a minute in which nothing expires


class Meter:
    """What a server spends on something."""

    def __init__(self, server):
        self._server = server
        self._before = self._now()

    def stop(self):
        seconds, cpu, read = (now - before for now, before in zip(self._now(), self._before))
        return {"seconds": seconds, "cpu_seconds": cpu, "bytes_read": read}

    def _now(self):
        return time.monotonic(), self._server.cpu_seconds(), self._server.bytes_read()


def advance(server, seconds):
    """Moves the clock; answered when everything that is due by then is done."""
    call_own(server.port, "AdvanceClock", {"Seconds": seconds})


def expiry(server):
    return call_own(server.port, "DescribeExpiry", {"TableName": "plain"})["Tables"][0]


def item_count(server):
    return call(server.port, "DescribeTable", {"TableName": "plain"})["Table"]["ItemCount"]


def check(server, items, pending, deleted):
    about = expiry(server)
    found = (item_count(server), about["PendingCount"], about["ExpiredCount"],
             about["DeletedCount"])
    if found != (items, pending, 0, deleted):
        raise LoadError(f"{found} items, pending, expired and deleted instead of "
                        f"{(items, pending, 0, deleted)}")


def measure(arguments):
    items = arguments.items
    due = items // DUE_SHARE
    result = {"items": items, "due": due}
    with servers.monotable(options=("--test-clock", CLOCK)) as server:
        server.start()
        create_table(server.port, "plain")
        load_items(server, "plain", items, operation="batch-write-expiring")
        server.wait_until_idle()
        report.progress(f"{items:,} items that expire are loaded")
        meter = Meter(server)
        call(server.port, "UpdateTimeToLive", {"TableName": "plain", "TimeToLiveSpecification": {
            "Enabled": True, "AttributeName": "ExpiresAt"}})
        advance(server, 0)
        result["fill"] = meter.stop()
        check(server, items, items, 0)
        server.wait_until_idle()
        meter = Meter(server)
        time.sleep(arguments.idle)
        result["idle"] = meter.stop()
        report.progress(f"nothing expired for {arguments.idle:.0f} s")
        meter = Meter(server)
        advance(server, A_DAY_AND_MORE)
        result["sweep"] = meter.stop()
        check(server, items - due, items - due, due)
        report.progress(f"{due:,} items expired in {result['sweep']['seconds']:.2f} s")
        server.wait_until_idle()
        result["scan"] = measure_scan(server, items - due)
    return result


def measure_scan(server, items):
    meter = Meter(server)
    figures = run_load(server, "scan", "plain", 1, requests=-(-items // SCAN_PAGE))
    if figures["errors"]:
        raise LoadError(f"scan: {figures['first_error']}")
    return meter.stop()


def print_tables(result):
    titles = {
        "fill": f"enabled on {result['items']:,} items, until all are listed",
        "idle": "nothing expires, for each minute",
        "sweep": f"{result['due']:,} of {result['items']:,} items expire at once, until the last "
                 "is deleted",
        "scan": "beside them, a Scan of the table in pages of 100 items",
    }
    rows = []
    for name, title in titles.items():
        figures = result[name]
        times = 60 / figures["seconds"] if name == "idle" else 1
        rows.append([title, f"{figures['seconds'] * times:.2f} s",
                     f"{figures['cpu_seconds'] * times:.3f} s",
                     report.megabytes(figures["bytes_read"] * times)])
    report.print_table("Time to live", ["what", " time", " server CPU", " read"], rows)
    sweep, scan, idle = result["sweep"], result["scan"], result["idle"]
    print(f"\nAn item that expired took {sweep['cpu_seconds'] / result['due'] * 1e6:.0f} µs of "
          f"server CPU, and one that was scanned "
          f"{scan['cpu_seconds'] / (result['items'] - result['due']) * 1e6:.1f} µs. The clock of a "
          "test starts the deletes at once; otherwise the server looks every second, and waits for "
          "--ttl-delay.")
    share = idle["cpu_seconds"] * 60 / idle["seconds"] / scan["cpu_seconds"]
    return [[f"{result['due']:,} of {result['items']:,} items expire: time",
             f"< {MOST_SECONDS} s", f"{sweep['seconds']:.2f} s", sweep["seconds"] < MOST_SECONDS],
            ["a minute in which nothing expires: server CPU, to one Scan",
             f"< {MOST_OF_SCAN:.2f} ×", f"{share:.3f} ×", share < MOST_OF_SCAN]]
