"""The tables of the data set: "plain", and "sales" with three indexes."""

import time

from client import call


def _key(partition, sort):
    return [{"AttributeName": partition, "KeyType": "HASH"},
            {"AttributeName": sort, "KeyType": "RANGE"}]


def _table(name, indexes):
    pairs = [("PK", "SK")] + [(f"GSI{n}PK", f"GSI{n}SK") for n in range(1, indexes + 1)]
    table = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"}
                                 for pair in pairs for attribute in pair],
        "KeySchema": _key(*pairs[0]),
    }
    if indexes:
        table["GlobalSecondaryIndexes"] = [
            {"IndexName": pair[0].removesuffix("PK"), "KeySchema": _key(*pair),
             "Projection": {"ProjectionType": "ALL"}} for pair in pairs[1:]]
    return table


TABLES = {"plain": _table("plain", 0), "sales": _table("sales", 3)}


def create_table(port, name):
    """Creates one of TABLES and waits until it can be used."""
    call(port, "CreateTable", TABLES[name])
    while call(port, "DescribeTable", {"TableName": name})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.02)
