"""The tables and the requests of the crash test."""

import itertools
import random

from server import Client, Gone, Refused

TEXT, NUMBER = "S", "N"
COUNTERS = 3
BULK_ITEMS = 4000


def text(value):
    return {"S": value}


def number(value):
    return {"N": str(value)}


def index(name, hash_name, range_name=None, projection="ALL"):
    schema = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    if range_name:
        schema.append({"AttributeName": range_name, "KeyType": "RANGE"})
    return {
        "IndexName": name,
        "KeySchema": schema,
        "Projection": {"ProjectionType": projection},
    }


def definitions(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


BULK_INDEX = index("by-group", "grp", "rank")

TABLES = [
    {
        "TableName": "main",
        "AttributeDefinitions": definitions(pk=TEXT, sk=TEXT, owner=TEXT, score=NUMBER, state=TEXT),
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "LocalSecondaryIndexes": [index("local-state", "pk", "state")],
        "GlobalSecondaryIndexes": [
            index("by-owner", "owner", "score"),
            index("by-state", "state", None, "KEYS_ONLY"),
        ],
    },
    {
        "TableName": "extra",
        "AttributeDefinitions": definitions(pk=TEXT, state=TEXT),
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [index("by-state", "state")],
    },
    {
        "TableName": "bulk",
        "AttributeDefinitions": definitions(pk=TEXT),
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    },
]

KEYS = {"main": ("pk", "sk"), "extra": ("pk",), "bulk": ("pk",)}


def name_of(table, item):
    return (table,) + tuple(item[attribute]["S"] for attribute in KEYS[table])


def key_of(table, item):
    return {attribute: item[attribute] for attribute in KEYS[table]}


def create_tables(client):
    for table in TABLES:
        client.call(
            "CreateTable",
            BillingMode="PAY_PER_REQUEST",
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
            **table,
        )
    for first in range(0, BULK_ITEMS, 25):
        puts = [
            {
                "PutRequest": {
                    "Item": {
                        "pk": text(f"bulk-{i}"),
                        "grp": text(f"g{i % 7}"),
                        "rank": number(i % 100),
                    }
                }
            }
            for i in range(first, first + 25)
        ]
        client.call("BatchWriteItem", RequestItems={"bulk": puts})


class Worker:
    """Writes until the server is gone. Only touches items of its own, and the counters."""

    def __init__(self, port, number_, seed, ledger):
        self._client = Client(port)
        self._name = f"w{number_}"
        self._random = random.Random(seed)
        self._ledger = ledger
        self._serial = seed * 1000000
        self.problem = None

    def run(self, requests=None):
        """Until the server is gone, or for so many requests."""
        actions = [self._put, self._put_if, self._update, self._delete, self._count, self._batch]
        try:
            for _ in itertools.count() if requests is None else range(requests):
                if self._random.random() < 0.4:
                    self._transact()
                else:
                    self._random.choice(actions)()
        except Gone:
            pass
        except Exception as error:  # reported by whoever waits for it to end
            self.problem = error

    def _key(self):
        if self._random.random() < 0.3:
            return "extra", {"pk": text(f"{self._name}-{self._random.randrange(8)}")}
        # Few partitions, shared by all workers; the sort key is the worker's own.
        return "main", {
            "pk": text(f"p{self._random.randrange(5)}"),
            "sk": text(f"{self._name}-{self._random.randrange(8)}"),
        }

    def _keys(self, count):
        keys = {}
        for _ in range(count):
            table, key = self._key()
            keys[name_of(table, key)] = (table, key)
        return list(keys.values())

    def _item(self, key):
        self._serial += 1
        item = dict(key, version=number(self._serial))
        if self._random.random() < 0.7:  # otherwise no entry in the index
            item["owner"] = text(f"o{self._random.randrange(3)}")
        if self._random.random() < 0.7:
            item["score"] = number(self._random.randrange(10))
        if self._random.random() < 0.7:
            item["state"] = text(self._random.choice(["new", "open", "done"]))
        if self._random.random() < 0.1:
            item["body"] = text("x" * self._random.randrange(20000))
        return item

    def _current(self, table, key):
        return self._ledger.items.get(name_of(table, key))

    def _send(self, operation, changes, counted=0, **parameters):
        """Sends one request and notes what it changes. A refusal is a mistake of somebody."""
        self._ledger.begin(changes, counted)
        self._client.call(operation, **parameters)
        self._ledger.done()

    def _put(self):
        table, key = self._key()
        item = self._item(key)
        self._send("PutItem", {name_of(table, key): item}, TableName=table, Item=item)

    def _put_if(self):
        """A condition that holds, or one that does not and must leave nothing behind."""
        table, key = self._key()
        item = self._item(key)
        condition = "attribute_not_exists(pk)"
        holds = self._current(table, key) is None
        if self._random.random() < 0.5:
            condition, holds = "attribute_exists(pk)", not holds
        if holds:
            self._send(
                "PutItem",
                {name_of(table, key): item},
                TableName=table,
                Item=item,
                ConditionExpression=condition,
            )
            return
        try:
            self._client.call(
                "PutItem", TableName=table, Item=item, ConditionExpression=condition
            )
        except Refused as error:
            assert error.type == "ConditionalCheckFailedException", error
        else:
            raise AssertionError(f"{condition} held for {key}")

    def _update_of(self, table, key):
        """An update that moves the item within its indexes, and the item after it."""
        self._serial += 1
        item = dict(self._current(table, key) or key)
        item["version"] = number(self._serial)
        item["state"] = text(self._random.choice(["new", "open", "done"]))
        item.pop("score", None)
        update = {
            "TableName": table,
            "Key": key,
            "UpdateExpression": "SET version = :v, #s = :s REMOVE score",
            "ExpressionAttributeNames": {"#s": "state"},
            "ExpressionAttributeValues": {":v": item["version"], ":s": item["state"]},
        }
        return update, item

    def _update(self):
        table, key = self._key()
        update, item = self._update_of(table, key)
        self._send("UpdateItem", {name_of(table, key): item}, **update)

    def _delete(self):
        table, key = self._key()
        self._send("DeleteItem", {name_of(table, key): None}, TableName=table, Key=key)

    def _count_update(self, amount):
        return {
            "TableName": "extra",
            "Key": {"pk": text(f"counter-{self._random.randrange(COUNTERS)}")},
            "UpdateExpression": "ADD n :n",
            "ExpressionAttributeValues": {":n": number(amount)},
        }

    def _receipt(self):
        """An item that shows that the request it came with was carried out."""
        self._serial += 1
        item = {"pk": text(f"{self._name}-receipt"), "version": number(self._serial)}
        return {"Put": {"TableName": "extra", "Item": item}}, {name_of("extra", item): item}

    def _count(self):
        amount = self._random.randrange(1, 10)
        receipt, changes = self._receipt()
        writes = [{"Update": self._count_update(amount)}, receipt]
        self._send("TransactWriteItems", changes, amount, TransactItems=writes)

    def _batch(self):
        requests, changes = {}, {}
        for table, key in self._keys(self._random.randrange(1, 25)):
            if self._random.random() < 0.3:
                request, item = {"DeleteRequest": {"Key": key}}, None
            else:
                item = self._item(key)
                request = {"PutRequest": {"Item": item}}
            requests.setdefault(table, []).append(request)
            changes[name_of(table, key)] = item
        self._send("BatchWriteItem", changes, RequestItems=requests)

    def _transact(self):
        receipt, changes = self._receipt()
        amount = self._random.randrange(1, 10)
        writes = [receipt, {"Update": self._count_update(amount)}]
        for table, key in self._keys(self._random.randrange(2, 6)):
            shape = self._random.randrange(3)
            if shape == 0:
                item = self._item(key)
                writes.append({"Put": {"TableName": table, "Item": item}})
            elif shape == 1:
                update, item = self._update_of(table, key)
                writes.append({"Update": update})
            else:
                item = None
                writes.append({"Delete": {"TableName": table, "Key": key}})
            changes[name_of(table, key)] = item
        self._send(
            "TransactWriteItems",
            changes,
            amount,
            TransactItems=writes,
            ClientRequestToken=f"{self._name}-{self._serial}",
        )


class TableMaker:
    """Creates, fills and deletes tables, and adds and removes the index of the bulk table."""

    def __init__(self, port, seed, tables, with_bulk):
        self._client = Client(port)
        self._random = random.Random(seed)
        self._with_bulk = with_bulk
        self.tables = tables  # name: number of items, or None if it may be there or not
        self.problem = None

    def run(self):
        try:
            if self._with_bulk:
                self._toggle_bulk_index()
            while True:
                self._change(f"table-{self._random.randrange(4)}")
        except Gone:
            pass
        except Exception as error:  # reported by whoever waits for it to end
            self.problem = error

    def _change(self, name):
        before = self.tables.get(name, "absent")
        self.tables[name] = None
        if before == "absent":
            self._client.call(
                "CreateTable",
                TableName=name,
                AttributeDefinitions=definitions(pk=TEXT),
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                BillingMode="PAY_PER_REQUEST",
            )
            self.tables[name] = 0
            count = self._random.randrange(1, 25)
            puts = [{"PutRequest": {"Item": {"pk": text(str(i))}}} for i in range(count)]
            self.tables[name] = None
            self._client.call("BatchWriteItem", RequestItems={name: puts})
            self.tables[name] = count
        else:
            self._client.call("DeleteTable", TableName=name)
            self.tables[name] = "absent"

    def _toggle_bulk_index(self):
        described = self._client.call("DescribeTable", TableName="bulk")["Table"]
        if described.get("GlobalSecondaryIndexes"):
            change = {"Delete": {"IndexName": BULK_INDEX["IndexName"]}}
            self._client.call(
                "UpdateTable", TableName="bulk", GlobalSecondaryIndexUpdates=[change]
            )
        self._client.call(
            "UpdateTable",
            TableName="bulk",
            AttributeDefinitions=definitions(pk=TEXT, grp=TEXT, rank=NUMBER),
            GlobalSecondaryIndexUpdates=[{"Create": BULK_INDEX}],
        )
