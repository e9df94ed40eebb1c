"""Compares what the server holds with what it acknowledged, and its parts with each other."""

import time

from server import Refused
from workload import COUNTERS, KEYS, name_of

FILL_SECONDS = 60


def scan(client, table, index=None, like=None):
    """The items of a table by their names. like is the table whose copy it is."""
    parameters = {"TableName": table, "Limit": 500}
    if index:
        parameters["IndexName"] = index
    else:
        parameters["ConsistentRead"] = True
    items = {}
    for item in client.pages("Scan", **parameters):
        name = name_of(like or table, item)
        assert name not in items, f"{name} comes twice in {table}/{index}"
        items[name] = item
    return items


def expected_entries(items, index, table):
    """The entries an index should have, from the items of its table."""
    index_keys = [element["AttributeName"] for element in index["KeySchema"]]
    entries = {}
    for name, item in items.items():
        if not all(attribute in item for attribute in index_keys):
            continue
        if index["Projection"]["ProjectionType"] == "KEYS_ONLY":
            item = {a: v for a, v in item.items() if a in index_keys or a in KEYS[table]}
        entries[name] = item
    return entries


def describe_when_filled(client, table, like=None):
    """The description of a table once all its indexes are filled."""
    limit = time.monotonic() + FILL_SECONDS
    while True:
        description = client.call("DescribeTable", TableName=table)["Table"]
        indexes = description.get("GlobalSecondaryIndexes", [])
        if all(index["IndexStatus"] == "ACTIVE" for index in indexes):
            break
        assert time.monotonic() < limit, f"an index of {table} is never filled: {indexes}"
        time.sleep(0.02)
    # An index is shown as active as soon as that is decided, a moment before the commit that also
    # corrects its counters. Any write is committed after it.
    nobody = {attribute: {"S": "nobody"} for attribute in KEYS[like or table]}
    client.call("DeleteItem", TableName=table, Key=nobody)
    return client.call("DescribeTable", TableName=table)["Table"]


def check_table(client, table, like=None):
    """That the indexes and counters of a table agree with its items, which it returns. like is the
    table whose copy it is."""
    description = describe_when_filled(client, table, like)
    items = scan(client, table, like=like)
    count = description["ItemCount"]
    assert count == len(items), f"{table} counts {count} items and has {len(items)}"
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in description.get(kind, []):
            name = f"{table}/{index['IndexName']}"
            entries = scan(client, table, index["IndexName"], like)
            expected = expected_entries(items, index, like or table)
            missing = sorted(set(expected) - set(entries))
            surplus = sorted(set(entries) - set(expected))
            assert not missing and not surplus, f"{name} lacks {missing} and has {surplus}"
            for key, entry in entries.items():
                assert entry == expected[key], f"{name} has {entry} instead of {expected[key]}"
            assert index["ItemCount"] == len(entries), (
                f"{name} counts {index['ItemCount']} entries and has {len(entries)}"
            )
    return items


def check_made_tables(client, tables):
    """Tables that were acknowledged as created or deleted; adopts what is there of the others."""
    listed = client.call("ListTables")["TableNames"]
    for name, expected in list(tables.items()):
        if expected is not None:
            assert (name in listed) == (expected != "absent"), f"{name} should be {expected}"
        if name not in listed:
            tables[name] = "absent"
            try:
                client.call("DescribeTable", TableName=name)
            except Refused as error:
                assert error.type == "ResourceNotFoundException", error
            else:
                raise AssertionError(f"{name} is described, but not listed")
            continue
        count = len(client.pages("Scan", TableName=name))
        counted = client.call("DescribeTable", TableName=name)["Table"]["ItemCount"]
        assert counted == count, f"{name} counts {counted} items and has {count}"
        assert expected is None or expected == count, f"{name} has {count} items, not {expected}"
        tables[name] = count


def check_all(client, ledgers, tables, bulk_items):
    items = {}
    for table in KEYS:
        items.update(check_table(client, table))
    for ledger in ledgers:
        ledger.resolve(items.get)
        ledger.check(items.get)
    owned = set().union(*(ledger.items for ledger in ledgers))
    counters = {("extra", f"counter-{i}") for i in range(COUNTERS)}
    bulk = {name for name in items if name[0] == "bulk"}
    assert len(bulk) == bulk_items, f"bulk has {len(bulk)} items instead of {bulk_items}"
    strangers = set(items) - owned - counters - bulk
    assert not strangers, f"nobody acknowledged or sent {sorted(strangers)}"
    total = sum(int(items[name]["n"]["N"]) for name in counters if name in items)
    counted = sum(ledger.counted for ledger in ledgers)
    assert total == counted, f"the counters hold {total} instead of {counted}"
    check_made_tables(client, tables)
