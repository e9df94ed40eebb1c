"""Amounts that move between items in transactions, so that their sum tells whether a copy of the
table holds one moment."""

import contextlib
import http.client
import json
import random
import threading

from client import HEADERS, call
from load import LoadError

ACCOUNTS = 1000
OPENING = 1000  # of each
WRITERS = 2
BATCH = 25  # items of a BatchWriteItem
PAGE = 100  # items of a BatchGetItem


def key(number):
    return {"PK": {"S": f"ACCOUNT#{number:06}"}, "SK": {"S": "BALANCE"}}


class Accounts:
    """Items of a table that hold an amount each."""

    def __init__(self, server, table):
        self._server = server
        self._table = table
        self.number = ACCOUNTS
        self.moves = 0
        for first in range(0, ACCOUNTS, BATCH):
            call(server.port, "BatchWriteItem", {"RequestItems": {table: [
                {"PutRequest": {"Item": key(number) | {"Amount": {"N": str(OPENING)}}}}
                for number in range(first, first + BATCH)]}})

    @contextlib.contextmanager
    def moving(self):
        """Amounts move as long as the block runs."""
        ended = threading.Event()
        writers = [_Writer(self._server.port, self._table, seed, ended)
                   for seed in range(WRITERS)]
        try:
            yield
        finally:
            ended.set()
            for writer in writers:
                writer.join()
        for writer in writers:
            if writer.error:
                raise writer.error
            self.moves += writer.moves

    def check(self, table):
        """That a copy of the table has the sum."""
        total = 0
        for first in range(0, ACCOUNTS, PAGE):
            keys = [key(number) for number in range(first, first + PAGE)]
            answer = call(self._server.port, "BatchGetItem",
                          {"RequestItems": {table: {"Keys": keys}}})
            total += sum(int(item["Amount"]["N"]) for item in answer["Responses"][table])
        if total != ACCOUNTS * OPENING:
            raise LoadError(f"{table} holds {total:,} instead of {ACCOUNTS * OPENING:,}")


class _Writer(threading.Thread):
    """Moves amounts on a connection of its own until told to end."""

    def __init__(self, port, table, seed, ended):
        super().__init__(daemon=True)
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._table = table
        self._random = random.Random(seed)
        self._ended = ended
        self.moves = 0
        self.error = None
        self.start()

    def run(self):
        try:
            while not self._ended.is_set():
                self._move()
        except Exception as error:  # raised again when the block ends
            self.error = error
        finally:
            self._connection.close()

    def _move(self):
        amount = self._random.randrange(1, 100)
        accounts = self._random.sample(range(ACCOUNTS), 2)
        updates = [{"Update": {
            "TableName": self._table, "Key": key(number),
            "UpdateExpression": "ADD Amount :amount",
            "ExpressionAttributeValues": {":amount": {"N": str(sign * amount)}}}}
            for number, sign in zip(accounts, (1, -1))]
        self._connection.request("POST", "/", json.dumps({"TransactItems": updates}),
                                 HEADERS | {"X-Amz-Target": "DynamoDB_20120810.TransactWriteItems"})
        answer = self._connection.getresponse()
        text = answer.read()
        # Another writer had one of the accounts.
        conflict = answer.status == 400 and b"TransactionConflict" in text
        if answer.status != 200 and not conflict:
            raise LoadError(f"TransactWriteItems: {text[:500].decode(errors='replace')}")
        self.moves += answer.status == 200
