"""What the rules of a model cost beyond single REST requests: raw writes that are enforced, clients
that wait for each other, and copies that follow a name."""

import os
import statistics
import tempfile
import threading
import time

import report
import sales
from client import call
from load import LoadError, load_items, run_load

CONNECTIONS = 32
CLIENTS = 16
FOLLOWERS = 2500
RENAMING = 8
BUYER = "BUYER000"
ENFORCED = {"put": ("PutItem", "buyer-put"), "update": ("UpdateItem", "buyer-update")}
MODES = ("off", "warn", "enforce")
SPEED, CPU = "requests_per_second", "server_cpu_us_per_request"


def _run(server, operation, connections, arguments, seed=1):
    figures = run_load(server, operation, sales.TABLE, connections, items=sales.BUYERS,
                       seconds=arguments.seconds, warmup=1, seed=seed)
    if figures["errors"]:
        raise LoadError(f"{operation}: {figures['first_error']}")
    return figures


def measure_enforcement(arguments):
    """The same raw writes on three servers whose model has the rules off, warns and enforces."""
    runs = {}
    with tempfile.TemporaryDirectory() as folder:
        running = {}
        try:
            for mode in MODES:
                running[mode] = sales.server(_with_rules(folder, mode)).__enter__()
                running[mode].start()
                load_items(running[mode], sales.TABLE, sales.BUYERS, operation="buyer-load")
            for number in range(arguments.rounds):
                for name, (_, operation) in ENFORCED.items():
                    for mode in MODES:
                        figures = _run(running[mode], operation, CONNECTIONS, arguments, number + 1)
                        runs.setdefault((name, mode), []).append(figures)
                        report.progress(f"round {number + 1}: {operation}, rules {mode}: "
                                        f"{figures[CPU]:.1f} µs")
        finally:
            for server in running.values():
                server.__exit__()
    rows = []
    for name, (title, _) in ENFORCED.items():
        base = _medians(runs[name, "off"])
        for mode in MODES:
            figures = _medians(runs[name, mode])
            rows.append([f"{title}, rules: {mode}", report.rate(figures[SPEED]),
                         report.micros(figures["p50_us"]), report.micros(figures["p99_us"]),
                         f"{figures[CPU]:.1f} µs", f"{figures[CPU] / base[CPU]:.2f} ×"])
    report.print_table(f"Raw writes and the rules, {CONNECTIONS} connections", [
        "request", " requests/s", " p50", " p99", " server CPU/request", " CPU to off"], rows)
    return [{"request": name, "rules": mode, "runs": rounds}
            for (name, mode), rounds in runs.items()]


def _with_rules(folder, mode):
    """The sales model in a file, with another setting of its table."""
    text = sales.MODEL.read_text(encoding="utf-8")
    table = "    keys: {hash: \"PK S\", range: \"SK S\"}\n"
    if table not in text or "rules:" in text.split("enums:")[0]:
        raise LoadError("the sales model looks different; say here how to set its rules")
    path = os.path.join(folder, f"sales-{mode}.model.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(table, f"{table}    rules: {mode}\n", 1))
    return path


def _medians(rounds):
    return {figure: statistics.median(run[figure] for run in rounds)
            for figure in (SPEED, CPU, "p50_us", "p99_us")}


def measure_contention(arguments):
    """Clients that add to one buyer, alone and together; every addition must be there at the end."""
    runs = {}
    with sales.server() as server:
        server.start()
        sales.load(server, sales.BUYERS)
        for number in range(arguments.rounds):
            for connections in (1, CLIENTS):
                before = _credit(server.port)
                figures = _run(server, "rest-hot-add", connections, arguments, number + 1)
                added = _credit(server.port) - before
                if added < figures["requests"]:
                    raise LoadError(f"{figures['requests']} additions left {added}")
                runs.setdefault(connections, []).append(figures)
                report.progress(f"round {number + 1}: {connections} connections: "
                                f"{figures[SPEED]:.0f} additions/s")
    alone = _medians(runs[1])
    rows = []
    for connections in (1, CLIENTS):
        figures = _medians(runs[connections])
        rows.append([connections, report.rate(figures[SPEED]), report.micros(figures["p50_us"]),
                     report.micros(figures["p99_us"]), f"{figures[CPU]:.1f} µs",
                     f"{figures[SPEED] / alone[SPEED]:.2f} ×"])
    report.print_table("PATCH {\"$add\": …} of one item", [
        " clients", " requests/s", " p50", " p99", " server CPU/request", " to one client"], rows)
    return [{"connections": connections, "runs": rounds} for connections, rounds in runs.items()]


def _credit(port):
    stored = call(port, "GetItem", {"TableName": sales.TABLE, "ConsistentRead": True, "Key": {
        "PK": {"S": f"BUYER#{BUYER}"}, "SK": {"S": "#METADATA#buyer"}}})
    return float(stored["Item"]["CreditLimit"]["N"])


def measure_copies(arguments):
    """Clients that rename one buyer whom many open sales copy, and a client beside them that adds
    to another buyer; then how long the copies take, and the end of the server amid them."""
    with sales.server() as server:
        server.start()
        sales.load(server, sales.BUYERS)
        _put_followers(server.port)
        alone = _beside(server, arguments, None)
        renames = []
        beside = _beside(server, arguments, renames)
        began = time.monotonic()
        copied = _wait_for_copies(server.port)
        waited = time.monotonic() - began
        rename = run_load(server, "rest-hot-rename", sales.TABLE, 1, requests=1)
        began = time.monotonic()
        server.stop()
        stopped = time.monotonic() - began
    if rename["errors"]:
        raise LoadError(rename["first_error"])
    figures = renames[0]
    rows = [["renames per second", report.rate(figures[SPEED])],
            ["rename, p50", report.micros(figures["p50_us"])],
            ["rename, p99", report.micros(figures["p99_us"])],
            ["addition to another buyer alone, p99", report.micros(alone["p99_us"])],
            ["the same beside the renames, p99", report.micros(beside["p99_us"])],
            [f"until all {copied} copies have the last name", f"{waited:.2f} s"],
            ["SIGTERM right after a rename", f"{stopped:.2f} s"]]
    report.print_table(f"{RENAMING} clients rename a buyer of {FOLLOWERS} sales",
                       ["what", " measured"], rows)
    return {"renames": figures, "alone": alone, "beside": beside, "copies_s": waited,
            "stop_s": stopped}


def _beside(server, arguments, renames):
    """Additions to another buyer, while others rename if a list takes their figures."""
    renaming = None
    if renames is not None:
        renaming = threading.Thread(target=lambda: renames.append(
            run_load(server, "rest-hot-rename", sales.TABLE, RENAMING,
                     seconds=arguments.seconds + 2)))
        renaming.start()
    figures = run_load(server, "rest-other-add", sales.TABLE, 1,
                       seconds=arguments.seconds, warmup=1)
    if renaming is not None:
        renaming.join()
        if renames[0]["errors"]:
            raise LoadError(renames[0]["first_error"])
    return figures


def _put_followers(port):
    """Sales that are not invoiced, so that their copies are not frozen."""
    for first in range(0, FOLLOWERS, 25):
        call(port, "BatchWriteItem", {"RequestItems": {sales.TABLE: [
            {"PutRequest": {"Item": _sale(number)}} for number in range(first, first + 25)]}})


def _sale(number):
    sale, date = f"OPEN{number:08}", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1.75e9 + number))
    texts = {"PK": f"SALE#{sale}", "SK": "#METADATA#sale", "EntityType": "Sale", "SaleId": sale,
             "BuyerId": BUYER, "BuyerName": "João", "BuyerDocument": "12.345.000/0001-90",
             "ProducerId": "PRODUCER001", "SaleDate": date, "Status": "DRAFT",
             "PaymentTerms": "30_DAYS", "Currency": "BRL", "GSI1PK": f"BUYER#{BUYER}",
             "GSI1SK": f"SALE#{date}", "GSI2PK": "PRODUCER#PRODUCER001", "GSI2SK": f"SALE#{date}",
             "GSI3PK": "STATUS#DRAFT", "GSI3SK": f"SALE#{date}"}
    return {name: {"S": text} for name, text in texts.items()} | {"_v": {"N": "1"}}


def _wait_for_copies(port):
    """Returns how many copies there are when all of them are right."""
    key = {"PK": {"S": f"BUYER#{BUYER}"}, "SK": {"S": "#METADATA#buyer"}}
    while True:
        name = call(port, "GetItem", {"TableName": sales.TABLE, "Key": key})["Item"]["Name"]
        copies, start = 0, {}
        while True:
            page = call(port, "Query", {
                "TableName": sales.TABLE, "IndexName": "GSI1", "Select": "COUNT",
                "KeyConditionExpression": "GSI1PK = :buyer", "FilterExpression": "BuyerName = :name",
                "ExpressionAttributeValues": {":buyer": {"S": f"BUYER#{BUYER}"}, ":name": name}}
                | start)
            copies += page["Count"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        if copies >= FOLLOWERS:
            return copies
        time.sleep(0.02)
