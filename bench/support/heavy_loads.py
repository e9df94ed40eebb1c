"""The heavy loads of bench/fairness: what each needs in the tables, and what its clients do."""

import dataclasses
import os
import tempfile
import time
from typing import Callable

from client import ServerError, call
from heavy_clients import Connection, head, request

CLIENTS = 8

PAGES, LARGE, MIDDLE, TEXTS, WIDE, WRITTEN = "pages", "large", "middle", "texts", "wide", "written"
PAGE_ITEMS = 2000  # of one partition of PAGES, a little more than 1 MB
LARGE_ITEMS = 100
LARGE_BYTES = 300_000
FULL_BYTES = 400_000  # nearly the largest item
BATCH_ITEM_BYTES = 380_000
WIDE_INDEXES = 20
ALTERNATIVES = 150
EXPIRING_ITEMS = 30_000
BODY_BYTES = 16 << 20


@dataclasses.dataclass
class Load:
    """What the clients of a load do: work(port, number) yields a status after each request."""
    title: str
    work: Callable
    clients: int = CLIENTS


def text(value):
    return {"S": value}


def key(partition, sort):
    return {"PK": text(partition), "SK": text(f"{sort:06}")}


def create_table(port, name, indexes=0):
    names = ["PK", "SK"] + [f"G{n}" for n in range(indexes)]
    table = {
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"},
                      {"AttributeName": "SK", "KeyType": "RANGE"}]}
    if indexes:
        table["GlobalSecondaryIndexes"] = [
            {"IndexName": f"Wide{n}", "KeySchema": [{"AttributeName": f"G{n}", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "ALL"}} for n in range(indexes)]
    call(port, "CreateTable", table)
    wait_active(port, name)


def wait_active(port, name):
    while call(port, "DescribeTable", {"TableName": name})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.02)


def put_all(port, table, items):
    items = list(items)
    for first in range(0, len(items), 25):
        call(port, "BatchWriteItem", {"RequestItems": {table: [
            {"PutRequest": {"Item": item}} for item in items[first:first + 25]]}})


def prepare(port):
    """Fills the tables that the loads need."""
    for name in (PAGES, LARGE, MIDDLE, TEXTS, WRITTEN):
        create_table(port, name)
    create_table(port, WIDE, WIDE_INDEXES)
    for number in range(CLIENTS):
        put_all(port, PAGES, (key(f"P{number}", sort) | {"Text": text("x" * 500),
                                                         "Number": {"N": str(sort)}}
                              for sort in range(PAGE_ITEMS)))
    put_all(port, LARGE, (key("L", sort) | {"Text": text("x" * LARGE_BYTES), "Count": {"N": "0"}}
                          for sort in range(LARGE_ITEMS)))
    put_all(port, LARGE, (key("F", sort) | {"Text": text("x" * (FULL_BYTES - 100))}
                          for sort in range(CLIENTS)))
    put_all(port, MIDDLE, (key("M", sort) | {"Text": text("x" * 40_000)} for sort in range(100)))
    # Searching for t in s compares nearly all of t at every place of s, if it is done simply.
    put_all(port, TEXTS, (key("T", sort) | {"s": text("a" * 270_000),
                                            "t": text("a" * 129_900 + "b")}
                          for sort in range(CLIENTS)))


def repeat(make):
    """Clients that each send the same request again and again."""

    def work(port, number):
        data = make(number)
        connection = Connection(port)
        while True:
            yield connection.exchange(data)

    return work


def _scan(port, number):
    """Page after page of the whole table."""
    connection = Connection(port)
    bodies = [request("Scan", {"TableName": PAGES} | (
        {"ExclusiveStartKey": key(f"P{start}", PAGE_ITEMS - 1)} if start != number else {}))
        for start in range(CLIENTS)]
    while True:
        for data in bodies:
            yield connection.exchange(data)


def _query_filter(number):
    return request("Query", {
        "TableName": PAGES, "KeyConditionExpression": "PK = :p",
        "FilterExpression": " OR ".join(["contains(#t, :y)"] * ALTERNATIVES),
        "ExpressionAttributeNames": {"#t": "Text"},
        "ExpressionAttributeValues": {":p": text(f"P{number % CLIENTS}"), ":y": text("xxxxxxxy")}})


CONTAINS = " OR ".join(["contains(s, t)"] * ALTERNATIVES)


def _contains_put(number):
    return request("PutItem", {"TableName": TEXTS, "Item": key("T", number),
                               "ConditionExpression": CONTAINS})


def _contains_update(number):
    return request("UpdateItem", {
        "TableName": TEXTS, "Key": key("T", number), "UpdateExpression": "SET n = :n",
        "ConditionExpression": CONTAINS, "ExpressionAttributeValues": {":n": text("n")}})


def _contains_filter(number):
    return request("Query", {
        "TableName": TEXTS, "KeyConditionExpression": "PK = :p AND SK = :s",
        "FilterExpression": CONTAINS,
        "ExpressionAttributeValues": {":p": text("T"), ":s": text(f"{number:06}")}})


def _batch_get(_number):
    return request("BatchGetItem", {"RequestItems": {LARGE: {
        "Keys": [key("L", sort) for sort in range(LARGE_ITEMS)]}}})


def _batch_write(table, more):
    def make(number):
        return request("BatchWriteItem", {"RequestItems": {table: [
            {"PutRequest": {"Item": key(f"B{number}", sort) | more |
                            {"Text": text(str(sort % 10) * BATCH_ITEM_BYTES)}}}
            for sort in range(25)]}})

    return make


def _transact_check(_number):
    return request("TransactWriteItems", {"TransactItems": [{"ConditionCheck": {
        "TableName": LARGE, "Key": key("L", sort),
        "ConditionExpression": "contains(#t, :y) OR attribute_exists(PK)",
        "ExpressionAttributeNames": {"#t": "Text"},
        "ExpressionAttributeValues": {":y": text("y")}}} for sort in range(LARGE_ITEMS)]})


def _transact_update(_number):
    return request("TransactWriteItems", {"TransactItems": [{"Update": {
        "TableName": LARGE, "Key": key("L", sort), "UpdateExpression": "ADD #c :one",
        "ExpressionAttributeNames": {"#c": "Count"},
        "ExpressionAttributeValues": {":one": {"N": "1"}}}} for sort in range(LARGE_ITEMS)]})


def _transact_get(_number):
    return request("TransactGetItems", {"TransactItems": [{"Get": {
        "TableName": MIDDLE, "Key": key("M", sort)}} for sort in range(100)]})


def _update_large(number):
    return request("UpdateItem", {
        "TableName": LARGE, "Key": key("F", number), "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}}, "ReturnValues": "ALL_NEW"})


def _put_large(port, number):
    connection = Connection(port)
    bodies = [request("PutItem", {"TableName": WRITTEN, "Item": key("W", number) | {
        "Text": text(letter * (FULL_BYTES - 100))}}) for letter in "xy"]
    while True:
        for data in bodies:
            yield connection.exchange(data)


def _garbage(_number):
    return request("PutItem", b"{" + b"\x01garbage " * ((BODY_BYTES - 1) // 9))


def _malformed(_number):
    values = ",".join(f'"a{n}":{{"S":"{"x" * 90}"}}' for n in range(10_000))
    return request("PutItem", f'{{"TableName":"{WRITTEN}","Item":{{{values}}}'.encode())


def _deep(_number):
    return request("PutItem", b'{"TableName":"written","Item":{"PK":' + b'{"L":[' * 160_000)


def _pipelined(port, number):
    """Many requests in one piece, and no look at the answers before all are sent."""
    one = request("GetItem", {"TableName": PAGES, "Key": key(f"P{number}", 0)})
    count = 100
    connection = Connection(port)
    while True:
        try:
            connection.send(one * count)
            for _ in range(count):
                yield connection.receive()
        except OSError:
            connection.close()
            yield None


def _churn(port, number):
    data = request("GetItem", {"TableName": PAGES, "Key": key(f"P{number}", 0)})
    while True:
        connection = Connection(port)
        yield connection.exchange(data)
        connection.close()


def _backfill(port, _number):
    """An index that comes and goes."""
    index = {"IndexName": "ByText", "KeySchema": [{"AttributeName": "SK", "KeyType": "HASH"}],
             "Projection": {"ProjectionType": "ALL"}}
    while True:
        # A client that was stopped has left its index, and maybe one that is still being filled.
        table = call(port, "DescribeTable", {"TableName": PAGES})["Table"]
        states = [index["IndexStatus"] for index in table.get("GlobalSecondaryIndexes", [])]
        if table["TableStatus"] != "ACTIVE" or states not in ([], ["ACTIVE"]):
            time.sleep(0.02)
            continue
        change = {"Delete": {"IndexName": "ByText"}} if states else {"Create": index}
        call(port, "UpdateTable", {
            "TableName": PAGES, "GlobalSecondaryIndexUpdates": [change],
            "AttributeDefinitions": [{"AttributeName": "SK", "AttributeType": "S"}]})
        yield 200


def _export(port, _number):
    arn = call(port, "DescribeTable", {"TableName": LARGE})["Table"]["TableArn"]
    call(port, "UpdateContinuousBackups", {"TableName": LARGE, "PointInTimeRecoverySpecification": {
        "PointInTimeRecoveryEnabled": True}})
    while True:
        export = call(port, "ExportTableToPointInTime", {
            "TableArn": arn, "S3Bucket": "fairness"})["ExportDescription"]["ExportArn"]
        while call(port, "DescribeExport", {"ExportArn": export})[
                "ExportDescription"]["ExportStatus"] == "IN_PROGRESS":
            time.sleep(0.02)
        yield 200


def _backup(port, _number):
    connection = Connection(port)
    data = request("CreateServerBackup", {}, "Monotable_20261101")
    while True:
        yield connection.exchange(data)


def _expiry(port, _number):
    """Writes items, and then lets all of them expire at once."""
    name = "expiring"
    try:
        call(port, "DeleteTable", {"TableName": name})
    except ServerError:
        pass
    create_table(port, name)
    put_all(port, name, (key("E", sort) | {"At": {"N": "1750000000"}, "Text": text("x" * 200)}
                         for sort in range(EXPIRING_ITEMS)))
    call(port, "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": {
        "Enabled": True, "AttributeName": "At"}})
    while call(port, "Scan", {"TableName": name, "Select": "COUNT"})["Count"] > 0:
        time.sleep(0.2)
    yield 200


def _rest_list(_number):
    words = "or=(" + ",".join(f"Total.eq.{n}" for n in range(100)) + ")"
    return (f"GET /sales?Status=CONFIRMED&limit=100&{words} HTTP/1.1\r\n"
            "Host: 127.0.0.1\r\nAccept: */*\r\n\r\n").encode()


def _upload_refused(port, _number):
    """A body that is too large, sent as far as the server takes it."""
    connection = Connection(port)
    data = head("PutItem", BODY_BYTES + 1) + b"x" * (1 << 20)
    while True:
        status = connection.exchange(data)
        connection.close()
        yield status


def _compute(_port, _number):
    """What the machine itself does to light clients: a process that computes, with the priority of
    the server's threads, and sends nothing."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    while True:
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            pass
        yield 0


def _sync(_port, number):
    """The same for the disk: a process that writes and syncs a file as a server does its log."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    data = bytes(FULL_BYTES)
    with tempfile.TemporaryFile(dir=os.environ.get("TMPDIR"), prefix=f"sync-{number}-") as file:
        for _ in range(1000):
            os.write(file.fileno(), data)
            os.fdatasync(file.fileno())
            yield 0


LOADS = {
    "floor-compute": Load("no requests; two processes that compute", _compute, 2),
    "floor-sync": Load("no requests; a process that writes and syncs 400 KB", _sync, 1),
    "scan": Load("Scan, pages of 1 MB", _scan),
    "scan-32": Load("the same, 32 clients", lambda port, number: _scan(port, number % CLIENTS), 32),
    "query-filter": Load(f"Query, filter of {ALTERNATIVES} ORs on 1 MB", repeat(_query_filter)),
    "contains-put": Load(f"PutItem if one of {ALTERNATIVES} contains()", repeat(_contains_put)),
    "contains-update": Load(f"UpdateItem if one of {ALTERNATIVES} contains()",
                            repeat(_contains_update)),
    "contains-filter": Load(f"Query, filter of {ALTERNATIVES} contains()",
                            repeat(_contains_filter)),
    "batch-get": Load("BatchGetItem, 16 MB", repeat(_batch_get)),
    "batch-write": Load("BatchWriteItem, 25 × 380 KB", repeat(_batch_write(WRITTEN, {}))),
    "batch-write-indexed": Load(
        f"the same with {WIDE_INDEXES} indexes", repeat(_batch_write(WIDE, {
            f"G{n}": text(f"value {n}") for n in range(WIDE_INDEXES)}))),
    "transact-check": Load("TransactWriteItems, 100 checks of 300 KB", repeat(_transact_check)),
    "transact-update": Load("TransactWriteItems, 100 updates of 300 KB",
                            repeat(_transact_update)),
    "transact-get": Load("TransactGetItems, 100 × 40 KB", repeat(_transact_get)),
    "update-large": Load("UpdateItem, 400 KB, ALL_NEW", repeat(_update_large)),
    "put-large": Load("PutItem, 400 KB", _put_large),
    "garbage": Load("PutItem, 16 MB of garbage", repeat(_garbage)),
    "upload-refused": Load("bodies over 16 MB", _upload_refused),
    "malformed": Load("PutItem, 1 MB without its end", repeat(_malformed)),
    "deep": Load("PutItem, 160,000 levels", repeat(_deep)),
    "pipelined": Load("GetItem, 100 sent at once", _pipelined),
    "churn": Load("GetItem, each on a new connection", _churn),
    "rest-list": Load("REST list, filter of 100 alternatives", repeat(_rest_list)),
    "backfill": Load("UpdateTable, an index comes and goes", _backfill, 1),
    "export": Load("ExportTableToPointInTime, 30 MB", _export, 1),
    "backup": Load("CreateServerBackup", _backup, 1),
    "expiry": Load(f"{EXPIRING_ITEMS:,} items are written and expire", _expiry, 1),
}
