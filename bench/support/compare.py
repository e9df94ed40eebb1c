"""Compares Monotable on disk with DynamoDB Local, in memory and on disk, and with dynalite: the
same data, the same requests from the same load generator, one server at a time. Prints Markdown
tables with requests per second, latencies, CPU time, memory and start-up time, and then which
targets were reached."""

import argparse
import sys

import report
import servers
from load import LoadError, load_items, run_load
from process import end_with_interrupt
from tables import TABLES, create_table
from targets import target_rows

# name: (title, operation of the generator, table). What reads comes before what writes, and what
# takes items away comes last.
ROWS = {
    "get": ("GetItem", "get", "plain"),
    "query-table": ("Query, 20 items", "query-table", "plain"),
    "query-index": ("Query on an index, 20 items", "query-index", "sales"),
    "batch-get": ("BatchGetItem, 25 items", "batch-get", "plain"),
    "scan": ("Scan, pages of 100 items", "scan", "plain"),
    "put": ("PutItem", "put", "plain"),
    "put-indexed": ("PutItem, 3 indexes", "put", "sales"),
    "update": ("UpdateItem, condition, 3 indexes", "update", "sales"),
    "transact-2": ("TransactWriteItems, 2 items, 3 indexes", "transact-2", "sales"),
    "transact-10": ("TransactWriteItems, 10 items, 3 indexes", "transact-10", "sales"),
    "batch-write": ("BatchWriteItem, 25 items, 3 indexes", "batch-write", "sales"),
    "delete": ("DeleteItem, 3 indexes", "delete", "sales"),
}

# name: (how to start it, rows or all of them, seconds until its compiler has seen an operation).
SERVERS = {
    "monotable": (servers.monotable, None, 0),
    "relaxed": (servers.monotable_relaxed, ("put", "put-indexed"), 0),
    "local-memory": (servers.dynamodb_local_memory, None, 4),
    "local-disk": (servers.dynamodb_local_disk, None, 4),
    "dynalite": (servers.dynalite, None, 4),
}

WARM_UP = 1  # seconds before every row


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/compare", description=__doc__)

    def names(allowed):
        def parse(text):
            chosen = text.split(",")
            for name in chosen:
                if name not in allowed:
                    raise argparse.ArgumentTypeError(f"no '{name}' among {', '.join(allowed)}")
            return chosen
        return parse

    parser.add_argument("--servers", type=names(SERVERS), default=list(SERVERS),
                        help="with commas: " + ", ".join(SERVERS))
    parser.add_argument("--operations", type=names(ROWS), default=list(ROWS),
                        help="with commas: " + ", ".join(ROWS))
    parser.add_argument("--connections", type=lambda text: [int(n) for n in text.split(",")],
                        default=[1, 32, 256], help="with commas, 1,32,256 by default")
    parser.add_argument("--seconds", type=float, default=3, help="for each row, 3 by default")
    parser.add_argument("--items", type=int, default=20000,
                        help="in each table, in ten thousands, 20000 by default")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    arguments = parser.parse_args()
    if arguments.items <= 0 or arguments.items % 10000:
        parser.error("--items must be a multiple of 10000, so that every buyer has 20 items")
    return arguments


def items_to_delete(server, table, connections, arguments):
    """Writes items beyond the others and returns the options of a run that deletes them, each once.
    A second of puts warms up and tells how many the server could delete in the time."""
    puts = run_load(server, "put", table, connections, items=arguments.items, seconds=1)
    items = int(puts["requests_per_second"] * arguments.seconds * 1.5)
    items = min(max(items, 1000), 200_000)
    load_items(server, table, items, first=arguments.items)
    return {"items": items, "first": arguments.items, "warmup": 0}


def measure_row(server, name, connections, arguments, warm_up):
    """The figures of one row; those of a failed run have the reason as "failure"."""
    _, operation, table = ROWS[name]
    options = {"items": arguments.items, "seconds": arguments.seconds, "warmup": warm_up}
    try:
        if name == "delete":
            options |= items_to_delete(server, table, connections, arguments)
        figures = run_load(server, operation, table, connections, **options)
    except LoadError as error:
        return {"failure": str(error)}
    if figures["requests"] == 0:
        codes = figures["errors_by_code"]
        figures["failure"] = max(codes, key=codes.get) if codes else "no answers"
    return figures


def measure_server(key, arguments):
    make, rows, first_warm_up = SERVERS[key]
    with make() as server:
        report.progress(f"{server.name}: starting")
        result = {"name": server.name, "startup_seconds": server.start(), "rows": {}}
        result["idle_bytes"] = server.memory()
        result["load_seconds"] = {}
        for table in TABLES:
            create_table(server.port, table)
            result["load_seconds"][table] = load_items(server, table, arguments.items)
            report.progress(f"{server.name}: {arguments.items} items into {table} in "
                            f"{result['load_seconds'][table]:.1f} s")
        for name in arguments.operations:
            if rows and name not in rows:
                continue
            warm_up = WARM_UP + first_warm_up
            result["rows"][name] = {}
            for connections in arguments.connections:
                figures = measure_row(server, name, connections, arguments, warm_up)
                result["rows"][name][connections] = figures
                report.progress(f"{server.name}: {ROWS[name][0]}, {connections} connections: "
                                + summary(figures))
                warm_up = WARM_UP
        result["memory_bytes"] = server.memory()
    return result


def summary(figures):
    if "failure" in figures:
        return figures["failure"]
    text = f"{report.rate(figures['requests_per_second'])} requests/s"
    return ", ".join(filter(None, (text, troubles(figures))))


def troubles(figures):
    """Answers that were not the expected ones, which requests per second leave out."""
    counts = figures["errors_by_code"] | (
        {"conflicts": figures["conflicts"]} if figures["conflicts"] else {})
    return ", ".join(f"{count} {code}" for code, count in counts.items())


def cells_of(figures, ours):
    """The cells of one server in one row, with how much faster Monotable was in the same row."""
    if "failure" in figures:
        return ["–"] * 6 + [figures["failure"]]
    speed = figures["requests_per_second"]
    faster = ours["requests_per_second"] / speed if ours and "failure" not in ours else None
    times = ("p50_us", "p99_us", "p999_us", "server_cpu_us_per_request")
    return [report.rate(speed), *(report.micros(figures[name]) for name in times),
            report.ratio(faster) if faster else "", troubles(figures)]


def print_rows(results, connections):
    columns = ["operation", "server", " requests/s", " p50", " p99", " p99.9",
               " server CPU/request", " Monotable is", "errors"]
    rows = []
    for name, (title, _, _) in ROWS.items():
        ours = results.get("monotable", {}).get("rows", {}).get(name, {}).get(connections)
        for key, result in results.items():
            figures = result["rows"].get(name, {}).get(connections)
            if figures is None:
                continue
            first = not rows or all(row[0] != title for row in rows)
            rows.append([title if first else "", result["name"],
                         *cells_of(figures, None if key == "monotable" else ours)])
    plural = "s" if connections > 1 else ""
    report.print_table(f"{connections} connection{plural}", columns, rows)


def print_servers(results, arguments):
    columns = ["server", " start-up", " memory when idle", " memory at the end", " load plain",
               " load sales"]
    report.print_table(f"Servers, with {arguments.items:,} items in each table", columns, [
        [result["name"], f"{result['startup_seconds'] * 1000:,.0f} ms",
         report.megabytes(result["idle_bytes"]), report.megabytes(result["memory_bytes"]),
         *(f"{seconds:.1f} s" for seconds in result["load_seconds"].values())]
        for result in results.values()])


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    report.warn_when_busy()
    results = {}
    for key in arguments.servers:
        results[key] = measure_server(key, arguments)
        if arguments.json:
            report.save(arguments.json, servers=results)
    report.print_machine()
    for connections in arguments.connections:
        print_rows(results, connections)
    print_servers(results, arguments)
    reached = target_rows(results, {name: row[0] for name, row in ROWS.items()})
    if reached:
        report.print_table("Targets, at 32 connections",
                           ["what", " target", " measured", "reached"], reached)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
