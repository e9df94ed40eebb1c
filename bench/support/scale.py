"""Measures Monotable on disk with 10 thousand, 1 million and 10 million items: how fast they load,
what they take on the disk and in memory, how fast requests are served at 32 connections, and how
long a restart takes; all against the figures of the fewest items. The data goes to $TMPDIR, or
/tmp; 15 GB must be free there for 10 million items."""

import argparse
import shutil
import sys
import tempfile

import report
import servers
from client import call
from load import LoadError, load_items, run_load
from process import end_with_interrupt
from tables import create_table

ROWS = {
    "get": "GetItem",
    "query-table": "Query, 20 items",
    "query-index": "Query on an index, 20 items",
    "put": "PutItem",
    "update": "UpdateItem, condition",
}
TITLES = {"plain": "no index", "sales": "3 indexes"}
BLOCK = 10000  # items; the indexes are whole in blocks of so many
# What must be free for each item of 500 bytes, so that compaction has room as well.
DISK_BYTES = {"plain": 1500, "sales": 6000}
WARM_UP = 2  # seconds before every row

MILLION = 1_000_000
RESTART_SECONDS = 0.5  # with a million items
MEMORY_BYTES = 600e6  # likewise
SLOWER_P99 = 3  # at ten million, to the fewest


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/scale", description=__doc__)

    def sizes(text):
        numbers = [int(word) for word in text.split(",") if word]
        if any(number <= 0 or number % BLOCK for number in numbers):
            raise argparse.ArgumentTypeError(f"not all of {text} are multiples of {BLOCK}")
        return sorted(numbers)

    parser.add_argument("--items", type=sizes, default=[BLOCK, MILLION, 10 * MILLION],
                        help="in a table without indexes; with commas, "
                             "10000,1000000,10000000 by default")
    parser.add_argument("--indexed-items", type=sizes, default=[BLOCK, MILLION],
                        help="in a table with three indexes; with commas, 10000,1000000 by "
                             "default; '' for none")
    parser.add_argument("--connections", type=int, default=32, help="32 by default")
    parser.add_argument("--seconds", type=float, default=5, help="for each row, 5 by default")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    return parser.parse_args()


def measure_rows(server, table, items, arguments):
    rows = {}
    for operation, title in ROWS.items():
        if operation == "query-index" and table == "plain":
            continue
        figures = run_load(server, operation, table, arguments.connections, items=items,
                           seconds=arguments.seconds, warmup=WARM_UP)
        if figures["errors"]:
            raise LoadError(f"{operation}: {figures['first_error']}")
        rows[operation] = figures
        report.progress(f"{items:,} items, {TITLES[table]}: {title}: "
                        f"{report.rate(figures['requests_per_second'])} requests/s")
    return rows


def measure(table, items, arguments):
    """A server of its own with so many items."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if free < items * DISK_BYTES[table]:
        raise LoadError(f"{items:,} items, {TITLES[table]}: needs {items * DISK_BYTES[table]:,} "
                        f"bytes in {tempfile.gettempdir()}, which has {free:,}; set TMPDIR")
    with servers.monotable() as server:
        server.start()
        create_table(server.port, table)
        result = {"table": table, "items": items}
        result["load_seconds"] = load_items(server, table, items)
        report.progress(f"{items:,} items, {TITLES[table]}: loaded in "
                        f"{result['load_seconds']:.1f} s")
        about = call(server.port, "DescribeTable", {"TableName": table})["Table"]
        result["item_bytes"] = about["TableSizeBytes"]
        result["disk_bytes_loaded"] = server.disk_bytes()
        result["compaction_seconds"] = server.wait_until_idle()
        result["disk_bytes_compacted"] = server.disk_bytes()
        result["rows"] = measure_rows(server, table, items, arguments)
        result["memory_bytes"] = server.memory()
        server.wait_until_idle()
        server.stop()
        result["restart_seconds"] = server.start()
        found = call(server.port, "DescribeTable", {"TableName": table})["Table"]["ItemCount"]
        if found != items:
            raise LoadError(f"{found:,} of {items:,} items are there after the restart")
    return result


def fewest(results, table):
    return next(result for result in results if result["table"] == table)


def print_data(results):
    columns = ["table", " items", " items/s to load", " bytes of items", " disk/byte, loaded",
               " disk/byte, compacted", " compaction", " memory", " restart"]
    report.print_table("Data", columns, [
        [TITLES[result["table"]], f"{result['items']:,}",
         report.rate(result["items"] / result["load_seconds"]),
         report.megabytes(result["item_bytes"]),
         f"{result['disk_bytes_loaded'] / result['item_bytes']:.2f}",
         f"{result['disk_bytes_compacted'] / result['item_bytes']:.2f}",
         f"{result['compaction_seconds']:.0f} s", report.megabytes(result["memory_bytes"]),
         f"{result['restart_seconds'] * 1000:,.0f} ms"] for result in results])


def print_requests(results, connections):
    columns = ["operation", "table", " items", " requests/s", " p50", " p99", " p99.9",
               " server CPU/request", " requests/s to fewest", " p99 to fewest"]
    rows = []
    for operation, title in ROWS.items():
        for result in results:
            figures = result["rows"].get(operation)
            if figures is None:
                continue
            base = fewest(results, result["table"])
            least = base["rows"][operation]
            cells = [title, TITLES[result["table"]], f"{result['items']:,}",
                     report.rate(figures["requests_per_second"]),
                     *(report.micros(figures[p]) for p in ("p50_us", "p99_us", "p999_us")),
                     f"{figures['server_cpu_us_per_request']:.1f} µs"]
            for figure in ("requests_per_second", "p99_us"):
                cells.append("" if base is result else f"{figures[figure] / least[figure]:.2f} ×")
            rows.append(cells)
    report.print_table(f"Requests, {connections} connections", columns, rows)


def target_rows(results):
    rows = []
    for result in results:
        if result["items"] == MILLION:
            about = f"{result['items']:,} items, {TITLES[result['table']]}"
            rows.append([f"restart with {about}", f"{RESTART_SECONDS * 1000:.0f} ms",
                         f"{result['restart_seconds'] * 1000:,.0f} ms",
                         result["restart_seconds"] < RESTART_SECONDS])
            rows.append([f"memory with {about}", report.megabytes(MEMORY_BYTES),
                         report.megabytes(result["memory_bytes"]),
                         result["memory_bytes"] < MEMORY_BYTES])
        if result["items"] == 10 * MILLION:
            base = fewest(results, result["table"])
            for operation, figures in result["rows"].items():
                slower = figures["p99_us"] / base["rows"][operation]["p99_us"]
                rows.append([f"p99 of {ROWS[operation]} with {result['items']:,} items, to "
                             f"{base['items']:,}", f"{SLOWER_P99} ×", f"{slower:.2f} ×",
                             slower <= SLOWER_P99])
    return [[*row[:3], "yes" if row[3] else "no"] for row in rows]


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    runs = ([("plain", items) for items in arguments.items]
            + [("sales", items) for items in arguments.indexed_items])
    results = []
    for table, items in runs:
        results.append(measure(table, items, arguments))
        if arguments.json:
            report.save(arguments.json, runs=results)
    report.print_machine()
    print_data(results)
    print_requests(results, arguments.connections)
    reached = target_rows(results)
    if reached:
        report.print_table("Targets", ["what", " at most", " measured", "reached"], reached)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
