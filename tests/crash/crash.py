#!/usr/bin/python3 -B
"""Kills the server under load, again and again on the same data, and checks what it kept.

Each round starts the server, checks everything against what was acknowledged in all rounds before,
lets several connections write, and kills the process (SIGKILL) at a random moment: within the load,
while an index is filled, while tables are made and deleted, right after the start or during it. An
acknowledged write must be there. A request under way at the kill was carried out as a whole or not
at all. Indexes and counters must agree with the items.

With --power-loss each kill is a power cut: files go back to what was synced (power_loss.py).

  crash.py [--rounds N] [--seed S] [--workers N] [--seconds N] [--power-loss]

MONOTABLE_BINARY names the binary, build/release/monotable by default. Whatever is wrong is printed
with the seed and the round, and the data folder is kept.
"""

import argparse
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

from check import check_all
from model import Ledger
from power_loss import PowerLoss
from server import Client, Server
from workload import BULK_ITEMS, TableMaker, Worker, create_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1000000))
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0, help="go on with rounds for so long")
    parser.add_argument("--power-loss", action="store_true", help="forget what was not synced")
    return parser.parse_args()


class Run:
    def __init__(self, arguments, folder):
        self._arguments = arguments
        self._random = random.Random(arguments.seed)
        binary = os.environ.get("MONOTABLE_BINARY", str(ROOT / "build/release/monotable"))
        self.power_loss = PowerLoss(folder, self._random) if arguments.power_loss else None
        self._server = Server(binary, folder, self.power_loss)
        self._ledgers = [Ledger() for _ in range(arguments.workers)]
        self._tables = {}
        self.kills = 0

    @property
    def memory_mb(self):
        return self._server.most_memory_mb

    @property
    def acknowledged(self):
        return sum(ledger.acknowledged for ledger in self._ledgers)

    def prepare(self):
        self._server.start()
        create_tables(Client(self._server.port))
        self._kill()

    def round(self, number):
        self._crash_while_starting()
        self._server.start()
        check_all(Client(self._server.port), self._ledgers, self._tables, BULK_ITEMS)
        clients = [
            Worker(self._server.port, i, number * 100 + i, ledger)
            for i, ledger in enumerate(self._ledgers)
        ]
        clients.append(
            TableMaker(self._server.port, number, self._tables, self._random.random() < 0.5)
        )
        threads = [threading.Thread(target=client.run, daemon=True) for client in clients]
        for thread in threads:
            thread.start()
        # Mostly short, so that kills meet the first writes, a flush or a fill; sometimes longer.
        time.sleep(self._random.choice([0.05, 0.2, 0.5, 1.5]) * self._random.random())
        self._kill()
        for thread, client in zip(threads, clients):
            thread.join()
            if client.problem:
                raise client.problem

    def finish(self):
        self._server.start()
        check_all(Client(self._server.port), self._ledgers, self._tables, BULK_ITEMS)
        self._kill()

    def stop(self):
        """For after a finding, when it is not known what runs."""
        self._server.stop()

    def _crash_while_starting(self):
        while self._random.random() < 0.3:
            self._server.spawn()
            if self._random.random() < 0.5:
                self._server.wait_until_ready()
            else:
                time.sleep(self._random.random() * 0.2)
            self._kill()

    def _kill(self):
        self._server.kill()
        self.kills += 1


def main():
    arguments = parse_arguments()
    folder = tempfile.mkdtemp(prefix="monotable-crash-")
    run = Run(arguments, folder)
    number = 0
    limit = time.monotonic() + arguments.seconds
    try:
        run.prepare()
        while number < arguments.rounds or time.monotonic() < limit:
            number += 1
            run.round(number)
        run.finish()
    except Exception as error:  # anything at all is a finding
        print(f"seed {arguments.seed}, round {number}: {type(error).__name__}: {error}")
        print(f"the data is in {folder}")
        run.stop()
        return 1
    shutil.rmtree(folder)
    if run.power_loss:
        run.power_loss.remove()
    kills = "power cuts" if run.power_loss else "kills"
    print(
        f"crash: {number} rounds, {run.kills} {kills}, {run.acknowledged} acknowledged writes, "
        f"{run.memory_mb} MB of memory, seed {arguments.seed}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
