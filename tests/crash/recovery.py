#!/usr/bin/python3 -B
"""Kills a server again and again, and compares what it restores with the past.

The time of the server stands still, except where the test moves it, so it is known what every table
held at the end of every millisecond. Several connections write to tables with indexes, streams and
point-in-time recovery. Meanwhile tables are backed up, restored from backups and restored to
moments of the past, several at a time, and compared with those moments, their indexes as well. Each
round ends with SIGKILL at a random moment: within writes, restores, backups, or at the next start.
A restore that was begun goes on after the restart. A backup that was begun holds its moment, or is
gone. At the end the streams must have every change once and in order.

  recovery.py [--rounds N] [--restores N] [--seed S] [--workers N]

MONOTABLE_BINARY names the binary, build/release/monotable by default. Whatever is wrong is printed
with the seed and the round, and the data folder is kept.
"""

import argparse
import datetime
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

from check import check_all, scan
from copies import Copies
from past import HistoryLedger, Moment, Timeline
from replay import check_stream
from server import Client, Gone, Server
from workload import BULK_ITEMS, KEYS, Worker, create_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
START = 1_767_225_600_000  # the first time of the clock, in milliseconds
HISTORY_TABLES = ("main", "extra")  # with point-in-time recovery
STEPS = (1, 250, 1000, 1000, 1000, 2500, 60_000)  # of the clock
# After so long a stream continues in other shards. Its records are kept for 24 hours.
SHARD_LIFE = 4 * 3_600_000 + 1000
MOST_SHARD_LIVES = 4
TICKS = 4  # of the clock in a round
KEPT_BACKUPS = 3


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--restores", type=int, default=300, help="at least so many in all rounds")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1000000))
    parser.add_argument("--workers", type=int, default=5)
    return parser.parse_args()


class Operator:
    """Restores to the past and backs up until the server is gone."""

    def __init__(self, port, seed, copies, timeline):
        self._client = Client(port)
        self._random = random.Random(seed)
        self._copies = copies
        self._timeline = timeline
        self.problem = None

    def restore_past(self, now):
        chosen = self._timeline.choose(self._random, now)
        if chosen and self._copies.has_room:
            time_ms, moment = chosen
            table = self._random.choice(HISTORY_TABLES)
            self._copies.restore(self._client, table, moment, time_ms)

    def run(self, now, moment):
        """Others write meanwhile, but not to the bulk table: it holds the moment."""
        try:
            while True:
                for _ in range(self._random.randrange(1, 6)):
                    self.restore_past(now)
                if self._random.random() < 0.5 and self._copies.has_room:
                    self._copies.back_up(self._client, "bulk", moment)
                if self._random.random() < 0.3 or not self._copies.has_room:
                    self._copies.check_tables(self._client)
                    self._copies.delete_backups(self._client, KEPT_BACKUPS)
                    self._copies.restore_backups(self._client)
        except Gone:
            pass
        except Exception as error:  # reported by whoever waits for it to end
            self.problem = error


class Run:
    def __init__(self, arguments, folder):
        self._seed = arguments.seed
        self._random = random.Random(arguments.seed)
        binary = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
        self._server = Server(binary, folder)
        self._ledgers = [HistoryLedger() for _ in range(arguments.workers)]
        self._others = {}
        self._timeline = Timeline()
        self._now = START
        self._shard_lives = 0
        self.copies = Copies(KEYS)
        self.kills = 0
        self.stream_records = self.stream_shards = 0

    @property
    def acknowledged(self):
        return sum(ledger.acknowledged for ledger in self._ledgers)

    def prepare(self):
        self._start()
        client = Client(self._server.port)
        create_tables(client)
        self._others = scan(client, "bulk")
        for table in HISTORY_TABLES:
            client.call(
                "UpdateContinuousBackups",
                TableName=table,
                PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
            )
        self._kill()

    def round(self, number):
        self._crash_while_starting()
        self._start()
        client = Client(self._server.port)
        self._check(client)
        seed = (self._seed * 1000 + number) * 100
        workers = [
            Worker(self._server.port, i, seed + i, ledger) for i, ledger in enumerate(self._ledgers)
        ]
        operator = Operator(self._server.port, seed + 99, self.copies, self._timeline)
        for _ in range(TICKS):
            self._tick(client, workers, operator)
        self._end(client, workers, operator)

    def finish(self):
        self._start()
        client = Client(self._server.port)
        self._check(client)
        self.copies.restore_backups(client)
        self.copies.check_tables(client)
        self.copies.delete_backups(client, keep=0)
        for table in KEYS:
            records, shards = check_stream(client, table, self._ledgers, scan(client, table))
            self.stream_records += records
            self.stream_shards += shards
        self._kill()

    def stop(self):
        """For after a finding, when it is not known what runs."""
        self._server.stop()

    def _start(self):
        self._server.start("--test-clock", clock_text(self._now))

    def _kill(self):
        self._server.kill()
        self.kills += 1

    def _crash_while_starting(self):
        while self._random.random() < 0.3:
            self._server.spawn("--test-clock", clock_text(self._now))
            time.sleep(self._random.random() * 0.2)
            self._kill()

    def _moment(self):
        """Only while nobody writes."""
        return Moment(self._ledgers, self._others)

    def _check(self, client):
        """That everything is there that was acknowledged, and what became of the rest."""
        self.copies.settle(client)
        check_all(client, self._ledgers, {}, BULK_ITEMS)
        self._timeline.record(self._now, self._moment())

    def _copy_present(self, client):
        """Backups and restores that must hold what was written before, and nothing after."""
        if self._random.random() < 0.5:
            self.copies.back_up(client, self._random.choice(list(KEYS)), self._moment())
        if self._random.random() < 0.5:
            table = self._random.choice(HISTORY_TABLES)
            time_ms = self._random.choice([None, self._now])
            self.copies.restore(client, table, self._moment(), time_ms)

    def _tick(self, client, workers, operator):
        """Restores and backups begin, everybody writes, all of it is compared, and time goes on."""
        self._copy_present(client)
        for _ in range(self._random.randrange(4)):
            operator.restore_past(self._now)
        requests = self._random.randrange(1, 12)
        self._join([(worker, begin(worker.run, requests)) for worker in workers])
        assert all(ledger.pending is None for ledger in self._ledgers), "the server is gone"
        self._timeline.record(self._now, self._moment())
        self.copies.check_tables(client)
        self.copies.delete_backups(client, KEPT_BACKUPS)
        self.copies.restore_backups(client)
        self._advance(client)

    def _end(self, client, workers, operator):
        """Everybody writes, restores and backs up until the process is killed."""
        self._copy_present(client)
        moment = self._moment()
        # Mostly short, so that kills meet the backups and restores that begin first.
        seconds = self._random.choice([0.02, 0.1, 0.3]) * self._random.random()
        threads = [(worker, begin(worker.run)) for worker in workers]
        threads.append((operator, begin(operator.run, self._now, moment)))
        time.sleep(seconds)
        self._kill()
        self._join(threads)

    def _join(self, threads):
        for client, thread in threads:
            thread.join()
            if client.problem:
                raise client.problem

    def _advance(self, client):
        step = self._random.choice(STEPS)
        if self._shard_lives < MOST_SHARD_LIVES and self._random.random() < 0.1:
            self._shard_lives += 1
            step = SHARD_LIFE
        answer = client.call("Monotable_20261101.AdvanceClock", Seconds=step / 1000)
        self._now += step
        assert round(answer["Now"] * 1000) == self._now, f"the clock shows {answer}"


def begin(work, *arguments):
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def clock_text(milliseconds):
    seconds, rest = divmod(milliseconds, 1000)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03}Z"


def main():
    arguments = parse_arguments()
    folder = tempfile.mkdtemp(prefix="monotable-recovery-")
    run = Run(arguments, folder)
    number = 0
    try:
        run.prepare()
        while number < arguments.rounds or run.copies.compared < arguments.restores:
            number += 1
            run.round(number)
        run.finish()
    except Exception as error:  # anything at all is a finding
        print(f"seed {arguments.seed}, round {number}: {type(error).__name__}: {error}")
        print(f"the data is in {folder}")
        run.stop()
        return 1
    shutil.rmtree(folder)
    copies = run.copies
    print(
        f"recovery: {number} rounds, {run.kills} kills, {run.acknowledged} acknowledged writes, "
        f"{copies.compared} restores, {copies.interrupted} of them across a kill, "
        f"{copies.backups_made} backups, {copies.backups_given_up} given up, {run.stream_records} stream records in "
        f"{run.stream_shards} shards, seed {arguments.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
