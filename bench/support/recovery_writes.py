"""What streams and point-in-time recovery cost a put: in time and on the disk."""

import contextlib
import statistics

import report
import servers
from client import call
from load import LoadError, load_items, run_load
from tables import create_table

NOTHING, STREAM, RECOVERY, BOTH = "nothing", "stream", "recovery", "both"
TITLES = {NOTHING: "nothing", STREAM: "stream, both images", RECOVERY: "point-in-time recovery",
          BOTH: "both"}
TABLES = {"plain": "no index", "sales": "3 indexes"}
ITEMS = 20000
WARM_UP = 0.5  # seconds before every run
SPEED, CPU = "requests_per_second", "server_cpu_us_per_request"
LEAST_SPEED = 0.8  # to nothing


def enable_stream(port, table):
    call(port, "UpdateTable", {"TableName": table, "StreamSpecification": {
        "StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}})


def enable_recovery(port, table):
    call(port, "UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": {
        "PointInTimeRecoveryEnabled": True}})


def prepare(server, table, variant):
    """A table with the items of a run, and what the variant has enabled before they come."""
    create_table(server.port, table)
    if variant in (STREAM, BOTH):
        enable_stream(server.port, table)
    if variant in (RECOVERY, BOTH):
        enable_recovery(server.port, table)
    load_items(server, table, ITEMS)


def measure_speed(arguments):
    """{table: {variant: [figures of each round]}}. Every variant has a server of its own, so that
    its flushes and compactions are billed to it; they are measured in turn, because what else the
    machine does changes within seconds."""
    runs = {table: {variant: [] for variant in TITLES} for table in TABLES}
    with contextlib.ExitStack() as stack:
        running = {}
        for variant in TITLES:
            server = running[variant] = stack.enter_context(servers.monotable(TITLES[variant]))
            server.start()
            for table in TABLES:
                prepare(server, table, variant)
        for number in range(arguments.rounds):
            for table in TABLES:
                # Who comes first changes, so that none always follows the same other.
                order = list(TITLES)[number % len(TITLES):] + list(TITLES)[:number % len(TITLES)]
                for variant in order:
                    runs[table][variant].append(
                        measure_puts(running[variant], table, number, arguments))
                report.progress(f"round {number + 1}: PutItem, {TABLES[table]}: " + ", ".join(
                    f"{TITLES[variant]} {report.rate(rounds[-1][SPEED])}/s"
                    for variant, rounds in runs[table].items()))
    return runs


def measure_puts(server, table, number, arguments):
    server.wait_until_idle(quiet=1)
    figures = run_load(server, "put", table, arguments.connections, items=ITEMS,
                       seconds=arguments.seconds, warmup=WARM_UP, seed=number + 1)
    if figures["errors"]:
        raise LoadError(f"put: {figures['first_error']}")
    return figures


def median(rounds, figure):
    return statistics.median(run[figure] for run in rounds)


def ratio_to_nothing(by_variant, variant, figure):
    """The median over the rounds: the two of a round ran within seconds of each other."""
    return statistics.median(run[figure] / base[figure] for run, base in
                             zip(by_variant[variant], by_variant[NOTHING]))


def print_speed(runs):
    columns = ["table", "enabled", " puts/s", " p50", " p99", " server CPU/put",
               " puts/s to nothing", " CPU to nothing"]
    rows, targets = [], []
    for table, by_variant in runs.items():
        for variant, rounds in by_variant.items():
            is_base = variant == NOTHING
            speed = ratio_to_nothing(by_variant, variant, SPEED)
            cpu = ratio_to_nothing(by_variant, variant, CPU)
            rows.append([TABLES[table], TITLES[variant], report.rate(median(rounds, SPEED)),
                         *(report.micros(median(rounds, p)) for p in ("p50_us", "p99_us")),
                         f"{median(rounds, CPU):.1f} µs",
                         *("" if is_base else f"{times:.2f} ×" for times in (speed, cpu))])
            if variant in (STREAM, RECOVERY):
                targets.append([f"PutItem, {TABLES[table]}, {TITLES[variant]}, to nothing",
                                f"≥ {LEAST_SPEED:.2f} ×", f"{speed:.2f} ×", speed >= LEAST_SPEED])
    any_run = runs["plain"][NOTHING]
    report.print_table(f"PutItem, {any_run[0]['connections']} connections, medians of "
                       f"{len(any_run)} rounds", columns, rows)
    return targets


def measure_disk(arguments):
    """{variant: figures} of as many puts over the same items. The log is one for streams and
    recovery, so both take what the stream does."""
    results = {}
    for variant in (NOTHING, STREAM, RECOVERY):
        with servers.monotable(TITLES[variant]) as server:
            server.start()
            prepare(server, "plain", variant)
            server.settle()
            before = server.disk_bytes()
            figures = run_load(server, "put", "plain", arguments.connections, items=ITEMS,
                               requests=arguments.puts)
            if figures["errors"]:
                raise LoadError(f"put: {figures['first_error']}")
            about = call(server.port, "DescribeTable", {"TableName": "plain"})["Table"]
            server.settle()
            results[variant] = {"puts": figures["requests"],
                                "item_bytes": about["TableSizeBytes"] / about["ItemCount"],
                                "disk_bytes": server.disk_bytes() - before}
        report.progress(f"{arguments.puts:,} puts, {TITLES[variant]}: "
                        f"{report.megabytes(results[variant]['disk_bytes'])} more on the disk")
    return results


def print_disk(results):
    columns = ["enabled", " puts", " bytes of an item", " disk", " disk bytes/put",
               " more than nothing"]
    per_put = {variant: figures["disk_bytes"] / figures["puts"]
               for variant, figures in results.items()}
    report.print_table(f"Disk after puts over {ITEMS:,} items, settled", columns, [
        [TITLES[variant], f"{figures['puts']:,}", f"{figures['item_bytes']:.0f}",
         report.megabytes(figures["disk_bytes"]), f"{per_put[variant]:.0f}",
         "" if variant == NOTHING else f"{per_put[variant] - per_put[NOTHING]:.0f}"]
        for variant, figures in results.items()])
    return []
