"""Compares versions of Monotable: two or more server binaries that run at the same time and are
measured in turn (A B B A …) with the same requests, so that whatever else the machine does meets
all of them. The table shows medians over the rounds, and how many times less CPU and how many times
more requests a second the later binaries have than the first one."""

import argparse
import contextlib
import os
import statistics
import sys

import report
from load import LoadError, load_items, run_load
from process import Server, end_with_interrupt
from tables import TABLES, create_table

# name: (title, operation of the generator, table). What reads comes before what writes, because
# versions of items that were written over slow down later reads.
ROWS = {
    "get": ("GetItem", "get", "plain"),
    "query-table": ("Query, 20 items", "query-table", "plain"),
    "put": ("PutItem", "put", "plain"),
    "put-indexed": ("PutItem, 3 indexes", "put", "sales"),
    "update": ("UpdateItem, condition, 3 indexes", "update", "sales"),
    "transact-2": ("TransactWriteItems, 2 items, 3 indexes", "transact-2", "sales"),
}
WARM_UP = 0.5  # seconds before every run
SPEED = "requests_per_second"
CPU = "server_cpu_us_per_request"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/versions", description=__doc__)
    parser.add_argument("binaries", nargs="+", metavar="NAME=FILE",
                        help="a server and what the table calls it, the base first")
    parser.add_argument("--operations", type=lambda text: text.split(","), default=list(ROWS),
                        help="with commas: " + ", ".join(ROWS))
    parser.add_argument("--connections", type=int, default=32, help="32 by default")
    parser.add_argument("--seconds", type=float, default=2, help="for each run, 2 by default")
    parser.add_argument("--rounds", type=int, default=5,
                        help="how often each run is repeated, 5 by default")
    parser.add_argument("--items", type=int, default=20000, help="20000 by default")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    arguments = parser.parse_args()
    for name in arguments.operations:
        if name not in ROWS:
            parser.error(f"there is no operation '{name}'; there are {', '.join(ROWS)}")
    arguments.versions = {}
    for text in arguments.binaries:
        name, _, binary = text.partition("=")
        if not os.access(binary, os.X_OK):
            parser.error(f"'{text}' is not NAME=FILE with a program as FILE")
        arguments.versions[name] = os.path.abspath(binary)
    return arguments


def new_server(name, binary):
    return Server(name, lambda port, folder: [binary, "serve", "--port", str(port),
                                              "--data", folder])


def make_ready(server, items):
    server.start()
    for table in TABLES:
        create_table(server.port, table)
        load_items(server, table, items)


def measure(servers, arguments):
    """{operation: {version: [figures of each round]}}"""
    runs = {}
    for name in arguments.operations:
        title, operation, table = ROWS[name]
        runs[name] = {server.name: [] for server in servers}
        for number in range(arguments.rounds):
            # Who comes first changes, so that none always follows the same one.
            for server in servers if number % 2 == 0 else servers[::-1]:
                figures = run_load(server, operation, table, arguments.connections,
                                   seconds=arguments.seconds, warmup=WARM_UP,
                                   items=arguments.items, seed=number + 1)
                if figures["errors"]:
                    raise LoadError(f"{server.name}: {title}: {figures['first_error']}")
                runs[name][server.name].append(figures)
            report.progress(f"{title}, round {number + 1}: " + ", ".join(
                f"{version} {rounds[-1][CPU]:.1f} µs, {report.rate(rounds[-1][SPEED])}/s"
                for version, rounds in runs[name].items()))
    return runs


def median(rounds, figure):
    return statistics.median(run[figure] for run in rounds)


def print_rows(runs, connections):
    columns = ["operation", "version", " server CPU/request", " requests/s", " p99",
               " CPU less", " requests/s more"]
    rows = []
    for name, by_version in runs.items():
        base = next(iter(by_version.values()))
        for version, rounds in by_version.items():
            first = rounds is base
            cpu, speed = median(rounds, CPU), median(rounds, SPEED)
            rows.append([ROWS[name][0] if first else "", version, f"{cpu:.1f} µs",
                         report.rate(speed), report.micros(median(rounds, "p99_us")),
                         "" if first else f"{median(base, CPU) / cpu:.2f} ×",
                         "" if first else f"{speed / median(base, SPEED):.2f} ×"])
    report.print_table(f"Versions, {connections} connections", columns, rows)


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    report.warn_when_busy()
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(new_server(name, binary))
                   for name, binary in arguments.versions.items()]
        for server in servers:
            make_ready(server, arguments.items)
        runs = measure(servers, arguments)
    if arguments.json:
        report.save(arguments.json, connections=arguments.connections, runs=runs)
    report.print_machine(f"; medians of {arguments.rounds} rounds")
    print_rows(runs, arguments.connections)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
