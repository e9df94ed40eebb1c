"""Compares Monotable on disk with the least that a server on the same RocksDB must do for GetItem
and PutItem: an epoll loop, simdjson, one call of RocksDB (bench/floor_server). Both run at the same
time and are measured in turn, several times; the tables show medians."""

import argparse
import statistics
import sys

import report
import servers
from load import LoadError, load_items, run_load
from process import BUILD, Server, end_with_interrupt
from tables import create_table

TABLE = "plain"
ROWS = {"get": "GetItem", "put": "PutItem"}
WARM_UP = 1  # seconds before every run
FIGURES = ("requests_per_second", "p50_us", "p99_us", "server_cpu_us_per_request",
           "generator_cpu_us_per_request")

# GetItem may take so much of the floor's CPU time, at so many connections.
TARGET = 1.5
TARGET_CONNECTIONS = 32


def floor_server():
    """It has no tables: every name is one."""
    return Server("floor", lambda port, folder: [
        str(BUILD / "floor_server"), "--port", str(port), "--data", folder])


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/floor", description=__doc__)
    parser.add_argument("--connections", type=lambda text: [int(n) for n in text.split(",")],
                        default=[1, 32, 256], help="with commas, 1,32,256 by default")
    parser.add_argument("--seconds", type=float, default=2, help="for each run, 2 by default")
    parser.add_argument("--rounds", type=int, default=5,
                        help="how often each run is repeated, 5 by default")
    parser.add_argument("--items", type=int, default=20000, help="20000 by default")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    return parser.parse_args()


def measure(pair, arguments):
    """{(operation, connections): {server: [figures of each round]}}"""
    runs = {(operation, connections): {server.name: [] for server in pair}
            for operation in ROWS for connections in arguments.connections}
    for number in range(arguments.rounds):
        # Who comes first changes, so that neither always follows the other.
        order = pair if number % 2 == 0 else pair[::-1]
        for (operation, connections), by_server in runs.items():
            for server in order:
                figures = run_load(server, operation, TABLE, connections, seconds=arguments.seconds,
                                   warmup=WARM_UP, items=arguments.items, seed=number + 1)
                if figures["errors"]:
                    raise LoadError(f"{server.name}: {operation}: {figures['first_error']}")
                by_server[server.name].append(figures)
            report.progress(f"round {number + 1}: {ROWS[operation]}, {connections} connections: "
                            + ", ".join(f"{server.name} "
                                        + report.rate(by_server[server.name][-1][FIGURES[0]])
                                        for server in pair) + " requests/s")
    return runs


def medians(rounds):
    return {figure: statistics.median(run[figure] for run in rounds) for figure in FIGURES}


def print_rows(runs, pair):
    columns = ["operation", " connections", "server", " requests/s", " p50", " p99",
               " server CPU/request", " requests/s to floor", " CPU to floor"]
    rows = []
    for (operation, connections), by_server in runs.items():
        least = medians(by_server["floor"])
        for server in pair:
            figures = medians(by_server[server.name])
            is_floor = server.name == "floor"
            speed, cpu = FIGURES[0], "server_cpu_us_per_request"
            rows.append(["" if is_floor else ROWS[operation], "" if is_floor else connections,
                         server.name, report.rate(figures[speed]),
                         report.micros(figures["p50_us"]), report.micros(figures["p99_us"]),
                         f"{figures[cpu]:.1f} µs",
                         "" if is_floor else f"{figures[speed] / least[speed]:.2f} ×",
                         "" if is_floor else f"{figures[cpu] / least[cpu]:.2f} ×"])
    report.print_table("Monotable and the floor", columns, rows)


def print_target(runs):
    by_server = runs.get(("get", TARGET_CONNECTIONS))
    if not by_server:
        return
    ours, least = (medians(by_server[name])["server_cpu_us_per_request"]
                   for name in ("Monotable", "floor"))
    report.print_table("Target", ["what", " at most", " measured", "reached"], [
        [f"GetItem, CPU per request to the floor's, {TARGET_CONNECTIONS} connections",
         f"{TARGET:.2f} ×", f"{ours / least:.2f} ×", "yes" if ours / least <= TARGET else "no"]])


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    with servers.monotable() as monotable, floor_server() as floor:
        pair = [monotable, floor]
        for server in pair:
            server.start()
        create_table(monotable.port, TABLE)
        for server in pair:
            load_items(server, TABLE, arguments.items)
        runs = measure(pair, arguments)
    if arguments.json:
        report.save(arguments.json, runs=[
            {"operation": operation, "connections": connections, "servers": by_server}
            for (operation, connections), by_server in runs.items()])
    report.print_machine(f"; medians of {arguments.rounds} rounds")
    print_rows(runs, pair)
    print_target(runs)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
