"""Backups and restores of a large table, alone and under writes, and those of a whole server."""

import threading
import time

import report
import servers
from client import call, call_own
from load import LoadError, load_items, run_load
from recovery_writes import enable_recovery
from tables import create_table
from transfers import Accounts

TABLE = "plain"
POLL = 0.02  # seconds
SLICE = 1  # seconds that the generator runs for at a time
SLICES_BEFORE = 8
QUICK_SLICES = 2
CHANGED_SHARE = 100  # one in so many items changes before the last backup of the server
LEAST_SPEED = 0.5  # of puts during a backup, to before
# RocksDB reserves room for its log in advance, more or less of it from one moment to the next.
DATA_FILES = "*.sst"


def wait_for(what, is_there, limit=600):
    end = time.monotonic() + limit
    while not is_there():
        if time.monotonic() > end:
            raise LoadError(f"{what} is not there after {limit} s")
        time.sleep(POLL)


def back_up(server, name):
    """A backup of the table and the seconds until it can be restored."""
    began = time.monotonic()
    arn = call(server.port, "CreateBackup", {
        "TableName": TABLE, "BackupName": name})["BackupDetails"]["BackupArn"]

    def details():
        answer = call(server.port, "DescribeBackup", {"BackupArn": arn})
        return answer["BackupDescription"]["BackupDetails"]

    wait_for(name, lambda: details()["BackupStatus"] == "AVAILABLE")
    seconds = time.monotonic() - began
    return arn, {"seconds": seconds, "size_bytes": details()["BackupSizeBytes"]}


def restore(server, operation, target, parameters):
    """The seconds until the restored table can be used."""
    began = time.monotonic()
    call(server.port, operation, {"TargetTableName": target} | parameters)

    def status():
        return call(server.port, "DescribeTable", {"TableName": target})["Table"]["TableStatus"]

    wait_for(target, lambda: status() == "ACTIVE")
    return time.monotonic() - began


def check_restored(server, table, items, accounts):
    """That the table holds one moment: as many items, and all the money."""
    found = call(server.port, "DescribeTable", {"TableName": table})["Table"]["ItemCount"]
    if found != items:
        raise LoadError(f"{table} has {found:,} items instead of {items:,}")
    accounts.check(table)


class Puts:
    """Runs the generator in short slices, so that it can end with whatever goes on beside it."""

    def __init__(self, server, arguments):
        self._server = server
        self._arguments = arguments
        self._seed = 0

    def slices(self, goes_on):
        """As many slices as begin while goes_on() says so, and what they did in sum."""
        requests = seconds = 0
        while goes_on():
            self._seed += 1
            figures = run_load(self._server, "put", TABLE, self._arguments.connections,
                               items=self._arguments.items, seconds=SLICE, seed=self._seed)
            if figures["errors"]:
                raise LoadError(f"put: {figures['first_error']}")
            requests += figures["requests"]
            seconds += figures["seconds"]
        return {"puts": requests, "seconds": seconds}

    def count(self, number):
        left = iter(range(number))
        return self.slices(lambda: next(left, None) is not None)


class Beside(threading.Thread):
    """A function on a thread of its own, whose result or error is asked for afterwards."""

    def __init__(self, work):
        super().__init__(daemon=True)
        self._work = work
        self._result = self._error = None
        self.start()

    def run(self):
        try:
            self._result = self._work()
        except Exception as error:  # raised again in result()
            self._error = error

    def result(self):
        self.join()
        if self._error:
            raise self._error
        return self._result


def measure_backups(server, arguments, accounts, items):
    """A backup alone, then one with everybody writing, and what they restore to."""
    result = {"items": items}
    before = server.disk_bytes(pattern=DATA_FILES)
    arn, result["alone"] = back_up(server, "alone")
    result["alone"]["disk_bytes"] = server.disk_bytes(pattern=DATA_FILES) - before
    report.progress(f"a backup alone: {result['alone']['seconds']:.2f} s")
    call(server.port, "DeleteBackup", {"BackupArn": arn})
    server.wait_until_idle()

    puts = Puts(server, arguments)
    result["before"] = puts.count(QUICK_SLICES if arguments.quick else SLICES_BEFORE)
    with accounts.moving():
        backup = Beside(lambda: back_up(server, "loaded"))
        result["during"] = puts.slices(backup.is_alive)
        arn, result["loaded"] = backup.result()
        puts.count(1)
    report.progress(f"a backup under writes: {result['loaded']['seconds']:.2f} s")
    server.wait_until_idle()
    result["restore_seconds"] = restore(server, "RestoreTableFromBackup", "from-backup",
                                        {"BackupArn": arn})
    check_restored(server, "from-backup", items, accounts)
    report.progress(f"restored in {result['restore_seconds']:.2f} s")
    return result


def measure_past(server, arguments, accounts, items):
    """Goes back to a moment before as many puts as a tenth of the items."""
    moment = int(time.time())
    with accounts.moving():
        time.sleep(1.1)  # into the next second
        figures = run_load(server, "put", TABLE, arguments.connections, items=arguments.items,
                           requests=arguments.items // 10, seed=99)
    if figures["errors"]:
        raise LoadError(f"put: {figures['first_error']}")
    server.wait_until_idle()
    seconds = restore(server, "RestoreTableToPointInTime", "from-the-past",
                      {"SourceTableName": TABLE, "RestoreDateTime": moment})
    check_restored(server, "from-the-past", items, accounts)
    report.progress(f"restored to a moment in {seconds:.2f} s")
    return {"puts_since": figures["requests"], "seconds": seconds}


def measure_server_backups(server, arguments):
    """The first, the second with nothing changed, and one with some of the items changed."""
    results = {}
    folder = server.data + "-backups"
    for name in ("first", "unchanged", "changed"):
        if name == "changed":
            run_load(server, "put", TABLE, arguments.connections, items=arguments.items,
                     requests=arguments.items // CHANGED_SHARE, seed=7)
        before = server.disk_bytes(folder)
        began = time.monotonic()
        about = call_own(server.port, "CreateServerBackup", {})["Backup"]
        results[name] = {"seconds": time.monotonic() - began, "bytes": about["Bytes"],
                         "disk_bytes": server.disk_bytes(folder) - before}
        report.progress(f"a backup of the server, {name}: {results[name]['seconds']:.2f} s")
    return results


def measure(arguments):
    with servers.monotable() as server:
        server.start()
        create_table(server.port, TABLE)
        load_items(server, TABLE, arguments.items)
        enable_recovery(server.port, TABLE)
        accounts = Accounts(server, TABLE)
        items = arguments.items + accounts.number
        server.settle()
        about = call(server.port, "DescribeTable", {"TableName": TABLE})["Table"]
        report.progress(f"{items:,} items are loaded")
        result = {"item_bytes": about["TableSizeBytes"],
                  "disk_bytes": server.disk_bytes(pattern=DATA_FILES)}
        # Before there are copies of the table: the server is backed up with all that it has.
        result["server"] = measure_server_backups(server, arguments)
        result |= measure_backups(server, arguments, accounts, items)
        result["past"] = measure_past(server, arguments, accounts, items)
        result["moves"] = accounts.moves
    return result


def print_tables(result):
    print_table_backups(result)
    print_server_backups(result)
    before, during = (result[name]["puts"] / result[name]["seconds"]
                      for name in ("before", "during"))
    return [["PutItem during a backup, to before", f"≥ {LEAST_SPEED:.2f} ×",
             f"{during / before:.2f} ×", during >= before * LEAST_SPEED]]


def print_table_backups(result):
    alone, loaded, past = result["alone"], result["loaded"], result["past"]

    def seconds(value):
        return f"{value:.2f} s"

    def speed(figures):
        return report.rate(figures["puts"] / figures["seconds"])

    rows = [
        ["the table: bytes of its items, and on the disk", "",
         report.megabytes(result["item_bytes"]), report.megabytes(result["disk_bytes"]), ""],
        ["puts before a backup", "", "", "", speed(result["before"])],
        ["CreateBackup alone, until AVAILABLE", seconds(alone["seconds"]),
         report.megabytes(alone["size_bytes"]), report.megabytes(alone["disk_bytes"]), ""],
        ["CreateBackup with puts and transactions", seconds(loaded["seconds"]),
         report.megabytes(loaded["size_bytes"]), "", speed(result["during"])],
        ["RestoreTableFromBackup, until ACTIVE", seconds(result["restore_seconds"]), "", "", ""],
        [f"RestoreTableToPointInTime, {past['puts_since']:,} puts ago",
         seconds(past["seconds"]), "", "", ""],
    ]
    report.print_table(f"Backups of a table of {result['items']:,} items",
                       ["what", " time", " bytes", " disk", " puts/s"], rows)
    print(f"\nThe restored tables have all items, and the sum of {result['moves']:,} transactions "
          "that move amounts between items.")


def print_server_backups(result):
    titles = {"first": "the first", "unchanged": "another, nothing changed",
              "changed": f"another, after puts of {100 / CHANGED_SHARE:.0f} % of the items"}
    report.print_table("Backups of the whole server", ["what", " time", " bytes of it",
                                                       " more on the disk"], [
        [title, f"{result['server'][name]['seconds']:.2f} s",
         report.megabytes(result["server"][name]["bytes"]),
         f"{result['server'][name]['disk_bytes'] / 1e6:,.1f} MB"]
        for name, title in titles.items()])
