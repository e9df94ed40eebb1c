"""The sales model with sales and buyers of the load generator, and whether its REST API tells of
them what DynamoDB's tells."""

import http.client
import json

import servers
from client import call
from load import load_items
from process import ROOT

TABLE = "SalesTable-dev"
BUYERS = 250  # the generator has so many, whatever the number of sales
PAGE = 20
# What the table needs and clients of the model do not see.
PLUMBING = {"PK", "SK", "EntityType", "_v", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "GSI3PK",
            "GSI3SK"}


class WrongAnswer(Exception):
    """The two APIs differ, and so their speeds say nothing."""


MODEL = ROOT / "models/sales.model.yaml"


def server(model=MODEL):
    """On disk with the defaults, and with the model. Not running yet."""
    return servers.monotable(options=("--model", str(model)))


def load(running, sales):
    """Writes buyers and sales by DynamoDB's API, and returns the seconds it took."""
    return (load_items(running, TABLE, BUYERS, operation="buyer-load")
            + load_items(running, TABLE, sales, operation="sale-load"))


def check(port, sales):
    """Raises WrongAnswer unless both APIs tell the same of some sales and of a page of them."""
    for number in range(0, sales, sales // 10):
        sale = f"SALE{number:08}"
        stored = call(port, "GetItem", {"TableName": TABLE, "Key": {
            "PK": {"S": f"SALE#{sale}"}, "SK": {"S": "#METADATA#sale"}}})
        _expect_same(sale, [stored["Item"]], [_get(port, f"/sales/{sale}")])
    page = call(port, "Query", {
        "TableName": TABLE, "IndexName": "GSI1", "ScanIndexForward": False, "Limit": PAGE,
        "KeyConditionExpression": "GSI1PK = :buyer",
        "ExpressionAttributeValues": {":buyer": {"S": "BUYER#BUYER007"}}})
    listed = _get(port, f"/buyers/BUYER007/sales?limit={PAGE}")
    _expect_same("a page", page["Items"], listed["items"])
    if ("LastEvaluatedKey" in page) != (listed["next"] is not None):
        raise WrongAnswer("only one of the two APIs has a next page")


def _expect_same(what, stored, shown):
    expected = [{name: _plain(value) for name, value in item.items() if name not in PLUMBING}
                for item in stored]
    if shown != expected:
        raise WrongAnswer(f"{what}: {shown} instead of {expected}")


def _plain(value):
    """A text or a number of DynamoDB's JSON, which is all that sales have."""
    (kind, content), = value.items()
    return json.loads(content) if kind == "N" else content


def _get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise WrongAnswer(f"{path}: {answer.status} {text[:500].decode(errors='replace')}")
        return json.loads(text)
    finally:
        connection.close()
