#!/usr/bin/python3 -B
"""Kills a server that serves a model under REST load, again and again on the same data, and checks
every rule of the model afterwards: sums are those of the members, each unique value has its marker
and no other has one, copies are those of their sources once the jobs are done, children have their
parents, and no acknowledged addition is lost.

  rules.py [--rounds N] [--seed S] [--workers N]

MONOTABLE_BINARY names the binary, build/release/monotable by default.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time
import urllib.parse

from server import Client, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = "rules-shop"
CUSTOMERS = 3
FOLLOWERS = 1100  # of the first customer: more than one write copies
# Leases of a killed server end in three seconds.
JOBS_SECONDS = 30

MODEL = """format: stm/1
model: shop
tables:
  main:
    name: rules-shop
    keys: {hash: "PK S", range: "SK S"}
    type_attribute: type
    version_attribute: _v
    indexes:
      GSI1: {hash: "GSI1PK S", range: "GSI1SK S", project: all}
entities:
  Customer:
    path: customers
    id: {attribute: customer}
    keys: {primary: {PK: "CUSTOMER#{customer}", SK: CUSTOMER}}
    attributes:
      customer: {type: string, required: true, max: 64}
      name: string!
      email: string
      points: integer
    unique:
      - {name: email, fields: ["{email}"]}
  Order:
    path: orders
    id: {attribute: number}
    keys:
      primary: {PK: "ORDER#{number}", SK: ORDER}
      GSI1: {GSI1PK: "CUSTOMER#{customer}", GSI1SK: "ORDER#{number}"}
    attributes:
      number: {type: string, required: true, max: 64}
      customer: {type: string, required: true, max: 64, ref: Customer}
      customerName: string
      total: {type: decimal, scale: 2, derive: "sum(lines.price)"}
    copies:
      - {set: customerName, from: Customer.name, via: customer, mode: live}
    delete: {cascade: collection}
  Line:
    parent: Order
    path: lines
    keys: {primary: {PK: "ORDER#{number}", SK: "LINE#{line:03}"}}
    attributes: {number: string!, line: integer!, price: decimal!}
collections:
  OrderFull: {root: Order, members: {lines: "Line[]"}, partition: "ORDER#{number}"}
"""


def customer_id(number):
    return f"ção/{number}"


class Worker:
    """Writes until the connection breaks."""

    def __init__(self, port, seed):
        self._random = random.Random(seed)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.answers = 0
        self.added = 0  # points of the last customer, acknowledged
        self.maybe_added = 0  # or possibly
        self.problem = None

    def run(self):
        try:
            while True:
                self._write()
                self.answers += 1
        except (OSError, http.client.HTTPException):
            return
        except AssertionError as error:
            self.problem = error

    def _write(self):
        choose = self._random
        customer = "/customers/" + urllib.parse.quote(customer_id(choose.randrange(CUSTOMERS)), "")
        order = f"/orders/{choose.randrange(40):03}"
        line = f"{order}/lines/{choose.randrange(5)}"
        kind = choose.randrange(7)
        if kind == 0:
            self._send("PUT", order, {"customer": customer_id(choose.randrange(CUSTOMERS))})
        elif kind in (1, 2):
            self._send("PUT", line, {"price": choose.randrange(1, 10)})
        elif kind == 3:
            self._send("DELETE", line)
        elif kind == 4:
            self._send("DELETE", order + "?cascade=collection")
        elif kind == 5:
            self._send("PATCH", customer, {"name": f"João {choose.randrange(1000)}",
                                           "email": f"{choose.randrange(4)}@example.com"})
        else:
            last = "/customers/" + urllib.parse.quote(customer_id(CUSTOMERS - 1), "")
            self.maybe_added += 1
            if self._send("PATCH", last, {"$add": {"points": 1}}) == 200:
                self.added += 1

    def _send(self, method, path, body=None):
        text = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"} if text else {}
        self._connection.request(method, path, text, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        assert answer.status < 500 and answer.status not in (400, 405, 415, 422), (
            f"{method} {path}: {answer.status} {content.decode()}")
        return answer.status


def wait_for_jobs(client):
    limit = time.monotonic() + JOBS_SECONDS
    while client.pages("Query", TableName=TABLE, ConsistentRead=True,
                       KeyConditionExpression="PK = :jobs",
                       ExpressionAttributeValues={":jobs": {"S": "MONOTABLE#JOBS"}}):
        assert time.monotonic() < limit, "copies are never done"
        time.sleep(0.05)


def check(client, workers):
    """Every rule of the model, on the items as they are stored."""
    items = client.pages("Scan", TableName=TABLE, ConsistentRead=True)
    by_type = {}
    markers = {}
    for item in items:
        if item["PK"]["S"].startswith("MONOTABLE#UNIQUE#"):
            markers[item["PK"]["S"]] = item["owner"]["M"]["PK"]["S"]
        if "type" in item:
            by_type.setdefault(item["type"]["S"], []).append(item)
    customers = {item["customer"]["S"]: item for item in by_type["Customer"]}
    orders = {item["number"]["S"]: item for item in by_type.get("Order", [])}
    sums = dict.fromkeys(orders, 0)
    for line in by_type.get("Line", []):
        number = line["number"]["S"]
        assert number in sums, f"line {line['line']['N']} has no order {number}"
        sums[number] += float(line["price"]["N"])
    for number, order in orders.items():
        total = float(order.get("total", {"N": "0"})["N"])
        assert total == sums[number], f"order {number}: {total} instead of {sums[number]}"
        source = customers[order["customer"]["S"]]
        copy, name = order["customerName"]["S"], source["name"]["S"]
        assert copy == name, f"order {number} has the copy {copy} of {name}"
    owners = {item["PK"]["S"]: item["email"]["S"] for item in customers.values() if "email" in item}
    assert sorted(markers.values()) == sorted(owners), f"{markers} are not the markers of {owners}"
    assert len(set(owners.values())) == len(owners), f"not unique: {owners}"
    points = int(customers[customer_id(CUSTOMERS - 1)].get("points", {"N": "0"})["N"])
    least = sum(worker.added for worker in workers)
    most = sum(worker.maybe_added for worker in workers)
    assert least <= points <= most, f"{points} points instead of {least} to {most}"


def fill(client):
    """Customers, and many orders of the first."""
    for number in range(CUSTOMERS):
        client.call("PutItem", TableName=TABLE, Item={
            "PK": {"S": f"CUSTOMER#{customer_id(number)}"}, "SK": {"S": "CUSTOMER"},
            "type": {"S": "Customer"}, "_v": {"N": "1"},
            "customer": {"S": customer_id(number)}, "name": {"S": "Old"}})
    owner = customer_id(0)
    for first in range(0, FOLLOWERS, 25):
        client.call("BatchWriteItem", RequestItems={TABLE: [{"PutRequest": {"Item": {
            "PK": {"S": f"ORDER#many{i:05}"}, "SK": {"S": "ORDER"}, "type": {"S": "Order"},
            "_v": {"N": "1"}, "number": {"S": f"many{i:05}"}, "customer": {"S": owner},
            "customerName": {"S": "Old"}, "GSI1PK": {"S": f"CUSTOMER#{owner}"},
            "GSI1SK": {"S": f"ORDER#many{i:05}"}}}} for i in range(first, first + 25)]})


def run(arguments, server, workers):
    server.start("--model", arguments.model)
    fill(Client(server.port))
    choose = random.Random(arguments.seed)
    for number in range(arguments.rounds):
        begun = [Worker(server.port, arguments.seed * 1000 + number * 100 + i)
                 for i in range(arguments.workers)]
        workers += begun
        threads = [threading.Thread(target=worker.run, daemon=True) for worker in begun]
        for thread in threads:
            thread.start()
        time.sleep(choose.choice([0.1, 0.4, 1.0]) * (0.5 + choose.random()))
        server.kill()
        for thread, worker in zip(threads, begun):
            thread.join()
            if worker.problem:
                raise worker.problem
        server.start("--model", arguments.model)
        client = Client(server.port)
        wait_for_jobs(client)
        check(client, workers)
    server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1000000))
    parser.add_argument("--workers", type=int, default=6)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="monotable-rules-")
    arguments.model = os.path.join(folder, "shop.model.yaml")
    pathlib.Path(arguments.model).write_text(MODEL, encoding="utf-8")
    binary = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
    server = Server(binary, os.path.join(folder, "data"))
    workers = []
    try:
        run(arguments, server, workers)
    except Exception as error:  # anything at all is a finding
        print(f"seed {arguments.seed}: {type(error).__name__}: {error}")
        print(f"the data is in {folder}")
        server.stop()
        return 1
    shutil.rmtree(folder)
    print(f"rules: {arguments.rounds} kills, {sum(worker.answers for worker in workers)} answers, "
          f"seed {arguments.seed}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
