"""Measures what heavy clients do to light ones. Two light clients send GetItem every 2 ms
and two send PutItem every 10 ms, of small items, alone and while each of about twenty heavy loads
runs beside them. The tables show their latencies and how many times the p99 is that of the
light clients alone. A request that was due while an earlier one still waited counts from the moment
when it was due. With several rounds, each p50 and p99 is the median of its rounds, and each longest
request the longest of all rounds. Ends with status 1 if a p99 grew more than 5 times or a request waited more than
100 ms."""

import argparse
import collections
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import time

import report
import sales
from client import call
from heavy_clients import HeavyClients
from heavy_loads import LOADS, prepare
from load import LoadError, load_items
from process import BUILD, ROOT, Server, end_with_interrupt
from tables import create_table

LIGHT = {"get": "GetItem", "put": "PutItem"}
LIGHT_CONNECTIONS = 2
INTERVAL_US = {"get": 2000, "put": 10_000}  # a sync to a busy disk takes some milliseconds
ITEMS = 20000
SALES = 20000
MOST_TIMES = 5
LONGEST_STALL_US = 100_000
PATIENCE = 10  # seconds without an answer, after which a run is given up


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/fairness", description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="LOADS",
                        help="some of the loads, with commas: " + ", ".join(LOADS))
    parser.add_argument("--seconds", type=float, default=5, help="for each load, 5 by default")
    parser.add_argument("--rounds", type=int, default=1, help="for all loads, one by default")
    parser.add_argument("--binary", action="append", metavar="FILE",
                        help="the server to measure; twice or more to compare servers")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    arguments = parser.parse_args()
    arguments.only = arguments.only or list(LOADS)
    arguments.binary = arguments.binary or [str(BUILD / "monotable")]
    for name in arguments.only:
        if name not in LOADS:
            parser.error(f"there is no load '{name}'; there are {', '.join(LOADS)}")
    return arguments


def go_first():
    """Gives the light clients a real-time priority, where that is allowed: they do next to nothing,
    and so they are on time whatever else the machine does. What is left is the server's doing."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


def measure_light(server, seconds):
    """{operation: figures} of the light clients."""

    def run(operation):
        words = [str(BUILD / "load"), "--port", str(server.port), "--operation", operation,
                 "--table", "plain", "--items", str(ITEMS), "--seconds", str(seconds),
                 "--connections", str(LIGHT_CONNECTIONS), "--interval-us", str(INTERVAL_US[operation]),
                 "--patience", str(PATIENCE)]
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              preexec_fn=go_first)
        if done.returncode != 0:
            raise LoadError(done.stderr.strip())
        return json.loads(done.stdout)

    with concurrent.futures.ThreadPoolExecutor() as threads:
        return dict(zip(LIGHT, threads.map(run, LIGHT)))


def new_server(binary):
    return Server(os.path.basename(binary), lambda port, folder: [
        binary, "serve", "--port", str(port), "--data", folder,
        "--model", str(ROOT / "models/sales.model.yaml")])


def make_ready(server):
    server.start()
    create_table(server.port, "plain")
    load_items(server, "plain", ITEMS)
    sales.load(server, SALES)
    prepare(server.port)
    server.settle()


def calm_down(server):
    """Waits until nothing is left of the last load. A server that does not end it is killed and
    started again."""
    end = time.monotonic() + 15
    while time.monotonic() < end:
        try:
            call(server.port, "ListTables", {}, timeout=1)
            before = server.cpu_seconds()
            time.sleep(0.5)
            if server.cpu_seconds() - before < 0.05:
                return True
        except OSError:
            pass
    server.kill()
    server.start()
    server.wait_until_idle(1)
    return False


def measure_load(server, name, seconds):
    """The figures of one load and of the light clients beside it."""
    load = LOADS[name]
    with HeavyClients(server.port, load.clients, load.work) as clients:
        time.sleep(1)
        light = measure_light(server, seconds)
        memory = server.memory()
    ended = calm_down(server)
    report.progress(f"{name}: " + ", ".join(
        f"{LIGHT[operation]} p99 {report.micros(figures['p99_us'])} "
        f"max {report.micros(figures['max_us'])}" for operation, figures in light.items()))
    return {"light": light, "statuses": clients.statuses, "memory": memory, "ended": ended}


def joined(rounds):
    """The figures of several rounds of one load as one."""
    light = {operation: {
        "p50_us": statistics.median(one["light"][operation]["p50_us"] for one in rounds),
        "p99_us": statistics.median(one["light"][operation]["p99_us"] for one in rounds),
        "max_us": max(one["light"][operation]["max_us"] for one in rounds),
        "errors": sum(one["light"][operation]["errors"] for one in rounds)} for operation in LIGHT}
    statuses = collections.Counter()
    for one in rounds:
        statuses.update(one.get("statuses", {}))
    return {"light": light, "statuses": dict(statuses),
            "memory": max(one.get("memory", 0) for one in rounds),
            "ended": all(one.get("ended", True) for one in rounds)}


def measure(binary, arguments):
    """{load or "alone": figures} of one server."""
    rounds = collections.defaultdict(list)
    with new_server(binary) as server:
        make_ready(server)
        measure_light(server, 1)
        for _ in range(arguments.rounds):
            rounds["alone"].append({"light": measure_light(server, 2 * arguments.seconds)})
            for name in arguments.only:
                rounds[name].append(measure_load(server, name, arguments.seconds))
    return {name: joined(figures) for name, figures in rounds.items()}


def times(result, name, operation):
    return (result[name]["light"][operation]["p99_us"]
            / result["alone"]["light"][operation]["p99_us"])


def is_fair(result, name):
    return all(times(result, name, operation) <= MOST_TIMES
               and figures["max_us"] <= LONGEST_STALL_US and figures["errors"] == 0
               for operation, figures in result[name]["light"].items())


def answers(statuses):
    """Who was answered how, as 200 × 31, 503 × 4; a broken connection is "none"."""
    if set(statuses) <= {0}:  # there were no requests
        return ""
    shown = {str(status or "none"): count for status, count in statuses.items()}
    return ", ".join(f"{status} × {count}" for status, count in sorted(shown.items())) or "none"


def print_result(binary, result):
    columns = ["heavy load"]
    for title in LIGHT.values():
        columns += [f" {title} p50", " p99", " longest", " p99 to alone"]
    columns += [" memory", "fair", "answers to the heavy clients"]
    rows = []
    for name, figures in result.items():
        row = [LOADS[name].title if name in LOADS else "none"]
        for operation in LIGHT:
            light = figures["light"][operation]
            row += [report.micros(light[kind]) for kind in ("p50_us", "p99_us", "max_us")]
            row.append(report.ratio(times(result, name, operation)))
        if name in LOADS:
            row += [report.megabytes(figures["memory"]), "yes" if is_fair(result, name) else "no",
                    answers(figures["statuses"])
                    + ("" if figures["ended"] else "; had to be killed")]
        else:
            row += ["", "", ""]
        rows.append(row)
    report.print_table(f"Light clients beside heavy ones: {binary}", columns, rows)


def main():
    end_with_interrupt()
    arguments = parse_arguments()
    report.warn_when_busy()
    results = {}
    for binary in arguments.binary:
        results[binary] = measure(os.path.abspath(binary), arguments)
    report.print_machine(
        f", {LIGHT_CONNECTIONS} light clients for each operation, {arguments.seconds:.0f} s for "
        f"each load, rounds: {arguments.rounds}")
    for binary, result in results.items():
        print_result(binary, result)
    if arguments.json:
        report.save(arguments.json, results=results)
    fair = all(is_fair(result, name) for result in results.values()
               for name in arguments.only)
    print(f"\nTarget: no p99 more than {MOST_TIMES} × that without the load, and no request longer "
          f"than {LONGEST_STALL_US // 1000} ms: {'reached' if fair else 'not reached'}.")
    return 0 if fair else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
