"""Measures the one write that cannot be made shorter for others: an atomic transaction that writes
many megabytes, with its index entries. Sends such transactions, one after the other, while another
client puts a small item every 2 ms, and prints how long that client waited at most."""

import argparse
import http.client
import json
import random
import statistics
import string
import sys
import threading
import time

import report
import servers
from client import HEADERS, call
from load import LoadError
from process import end_with_interrupt

INTERVAL = 0.002  # seconds between two small puts
# items, kilobytes of each, indexes that hold a copy of each
TRANSACTIONS = [(20, 19, 20), (50, 40, 20), (100, 40, 5), (100, 40, 20)]


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/longest_write", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5,
                        help="how often each transaction is sent, 5 by default")
    parser.add_argument("--json", metavar="FILE", help="keep the figures in a file")
    return parser.parse_args()


def create_table(port, name, indexes):
    attributes = ["PK"] + [f"Key{i}" for i in range(indexes)]
    table = {
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"}
                                 for attribute in attributes],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    }
    if indexes:
        table["GlobalSecondaryIndexes"] = [
            {"IndexName": f"By{attribute}", "Projection": {"ProjectionType": "ALL"},
             "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}]}
            for attribute in attributes[1:]]
    call(port, "CreateTable", table)


def transaction(table, count, kilobytes, indexes, number):
    """The body of a request that puts items which have never been there before."""
    text = "".join(random.choices(string.ascii_letters, k=kilobytes * 1024))
    puts = []
    for i in range(count):
        item = {"PK": {"S": f"{number}-{i}"}, "Text": {"S": text}}
        item |= {f"Key{j}": {"S": f"{number}-{i}-{j}"} for j in range(indexes)}
        puts.append({"Put": {"TableName": table, "Item": item}})
    return json.dumps({"TransactItems": puts})


class SmallPuts(threading.Thread):
    """Puts a small item again and again, and keeps the seconds of each put."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._ended = threading.Event()
        self.seconds = []
        self.start()

    def run(self):
        while not self._ended.wait(INTERVAL):
            item = {"PK": {"S": "small"}, "Number": {"N": str(len(self.seconds))}}
            began = time.monotonic()
            send(self._connection, "PutItem", json.dumps({"TableName": "small", "Item": item}))
            self.seconds.append(time.monotonic() - began)

    def end(self):
        self._ended.set()
        self.join()


def send(connection, operation, body):
    connection.request("POST", "/", body,
                       HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{operation}"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise LoadError(f"{operation}: {answer.status} {text[:500].decode(errors='replace')}")


def measure(server, shape, rounds):
    """For each round the bytes written, the seconds of the transaction and the longest put."""
    count, kilobytes, indexes = shape
    table = f"large-{count}-{kilobytes}-{indexes}"
    create_table(server.port, table, indexes)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    runs = []
    for number in range(rounds):
        body = transaction(table, count, kilobytes, indexes, number)
        puts = SmallPuts(server.port)
        time.sleep(0.2)
        began = time.monotonic()
        send(connection, "TransactWriteItems", body)
        seconds = time.monotonic() - began
        time.sleep(0.1)
        puts.end()
        runs.append({"bytes": count * kilobytes * 1024 * (indexes + 1), "seconds": seconds,
                     "longest_put": max(puts.seconds)})
    report.progress(f"{table}: " + ", ".join(f"{run['longest_put'] * 1000:.0f} ms" for run in runs))
    return runs


def main():
    arguments = parse_arguments()
    end_with_interrupt()
    report.warn_when_busy()
    with servers.monotable() as server:
        server.start()
        create_table(server.port, "small", 0)
        results = {shape: measure(server, shape, arguments.rounds) for shape in TRANSACTIONS}
    if arguments.json:
        report.save(arguments.json, runs=[{"shape": shape, "rounds": runs}
                                          for shape, runs in results.items()])
    report.print_machine(f"; {arguments.rounds} rounds")
    rows = []
    for (count, kilobytes, indexes), runs in results.items():
        longest = [run["longest_put"] * 1e6 for run in runs]
        rows.append([f"{count} puts of {kilobytes} KB, {indexes} indexes",
                     report.megabytes(runs[0]["bytes"]),
                     report.micros(statistics.median(run["seconds"] * 1e6 for run in runs)),
                     report.micros(statistics.median(longest)), report.micros(max(longest))])
    report.print_table("Small puts beside large transactions",
                       ["transaction", " writes", " takes", " longest put, median", " worst"], rows)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
