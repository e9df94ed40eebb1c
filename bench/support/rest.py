"""Compares requests to the REST API that Monotable makes of a model, the sales design, with the
requests of DynamoDB's API that do the same on the same items. Both go to one server on disk and are
measured in turn, several times; the tables show medians. Before that it is checked that both APIs
tell the same. Other parts measure what the rules of a model cost raw writes, what clients of one
item do to each other, and what a change costs that many items copy."""

import argparse
import statistics
import sys

import report
import rest_rules
import sales
from load import LoadError, run_load
from process import end_with_interrupt

# name: (title of the raw request, its operation of the generator, the same two of REST)
PAIRS = {
    "get": ("GetItem", "sale-get", "GET /sales/{SaleId}", "rest-sale-get"),
    "list": (f"Query on an index, {sales.PAGE} items", "sale-query",
             f"GET /buyers/{{BuyerId}}/sales?limit={sales.PAGE}", "rest-sale-list"),
    "put": ("PutItem", "buyer-put", "PUT /buyers/{BuyerId}", "rest-buyer-put"),
    "patch": ("UpdateItem", "buyer-update", "PATCH /buyers/{BuyerId}", "rest-buyer-patch"),
}
WARM_UP = 1  # seconds before every run
SPEED, CPU = "requests_per_second", "server_cpu_us_per_request"
FIGURES = (SPEED, CPU, "p50_us", "p99_us", "generator_cpu_us_per_request")

# These may take so much of the raw request's CPU time, at so many connections. Writes may take
# more: REST checks the model's rules, and the raw request does not.
TARGETS = {"get": 1.3, "list": 1.3, "put": 1.5, "patch": 1.5}
READS = ("get", "list")
TARGET_CONNECTIONS = 32
PARTS = {"requests": "REST beside raw requests", "enforce": "raw writes whose rules are enforced",
         "contention": "many clients of one item", "copies": "a name that many items copy"}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/rest", description=__doc__)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS),
                        help="with commas, all by default: " + ", ".join(
                            f"{name} ({title})" for name, title in PARTS.items()))
    parser.add_argument("--connections", type=lambda text: [int(n) for n in text.split(",")],
                        default=[1, 32], help="with commas, 1,32 by default")
    parser.add_argument("--seconds", type=float, default=2, help="for each run, 2 by default")
    parser.add_argument("--rounds", type=int, default=5,
                        help="how often each run is repeated, 5 by default")
    parser.add_argument("--sales", type=int, default=10000, help="10000 by default")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    if arguments.sales <= sales.BUYERS * sales.PAGE:
        parser.error("--sales must be so many that the buyers have more than a page")
    return arguments


def measure(server, arguments):
    """{(pair, connections): {operation: [figures of each round]}}, the raw operation first. Reads
    come before writes in all rounds, because old versions of items make reads slower."""
    runs = {}
    for kinds in (READS, [name for name in PAIRS if name not in READS]):
        for number in range(arguments.rounds):
            for name in kinds:
                for connections in arguments.connections:
                    measure_pair(server, name, connections, number, arguments, runs)
    return runs


def measure_pair(server, name, connections, number, arguments, runs):
    _, raw, _, rest = PAIRS[name]
    by_operation = runs.setdefault((name, connections), {raw: [], rest: []})
    # Who comes first changes, so that neither always follows the other.
    for operation in (raw, rest) if number % 2 == 0 else (rest, raw):
        figures = run_load(server, operation, sales.TABLE, connections, items=arguments.sales,
                           seconds=arguments.seconds, warmup=WARM_UP, seed=number + 1)
        if figures["errors"]:
            raise LoadError(f"{operation}: {figures['first_error']}")
        by_operation[operation].append(figures)
    report.progress(f"round {number + 1}: {name}, {connections} connections: " + ", ".join(
        f"{operation} {rounds[-1][CPU]:.1f} µs" for operation, rounds in by_operation.items()))


def medians(rounds):
    return {figure: statistics.median(run[figure] for run in rounds) for figure in FIGURES}


def print_rows(runs):
    columns = ["request", " connections", " requests/s", " p50", " p99", " server CPU/request",
               " requests/s to raw", " CPU to raw"]
    rows = []
    for (name, connections), by_operation in runs.items():
        raw_title, raw, rest_title, rest = PAIRS[name]
        base = medians(by_operation[raw])
        for title, operation in ((raw_title, raw), (rest_title, rest)):
            figures = medians(by_operation[operation])
            is_raw = operation == raw
            rows.append([title, connections if is_raw else "", report.rate(figures[SPEED]),
                         report.micros(figures["p50_us"]), report.micros(figures["p99_us"]),
                         f"{figures[CPU]:.1f} µs",
                         "" if is_raw else f"{figures[SPEED] / base[SPEED]:.2f} ×",
                         "" if is_raw else f"{figures[CPU] / base[CPU]:.2f} ×"])
    report.print_table("REST and the raw requests", columns, rows)


def print_targets(runs):
    rows = []
    for name, target in TARGETS.items():
        by_operation = runs.get((name, TARGET_CONNECTIONS))
        if by_operation:
            raw_title, raw, rest_title, rest = PAIRS[name]
            times = medians(by_operation[rest])[CPU] / medians(by_operation[raw])[CPU]
            rows.append([f"{rest_title}, CPU per request to {raw_title}", f"{target:.2f} ×",
                         f"{times:.2f} ×", "yes" if times < target else "no"])
    if rows:
        report.print_table(f"Targets, at {TARGET_CONNECTIONS} connections",
                           ["what", " less than", " measured", "reached"], rows)


def compare_requests(arguments):
    with sales.server() as server:
        server.start()
        seconds = sales.load(server, arguments.sales)
        report.progress(f"{arguments.sales} sales in {seconds:.1f} s")
        sales.check(server.port, arguments.sales)
        runs = measure(server, arguments)
    print_rows(runs)
    print_targets(runs)
    return [{"pair": name, "connections": connections, "operations": by_operation}
            for (name, connections), by_operation in runs.items()]


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    report.warn_when_busy()
    report.print_machine(f"; medians of {arguments.rounds} rounds")
    measured = {}
    if "requests" in arguments.parts:
        measured["runs"] = compare_requests(arguments)
    if "enforce" in arguments.parts:
        measured["enforce"] = rest_rules.measure_enforcement(arguments)
    if "contention" in arguments.parts:
        measured["contention"] = rest_rules.measure_contention(arguments)
    if "copies" in arguments.parts:
        measured["copies"] = rest_rules.measure_copies(arguments)
    if arguments.json:
        report.save(arguments.json, **measured)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
