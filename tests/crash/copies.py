"""Backups and restored tables: begun, compared with the moment that they should hold, deleted.

A request whose answer never came was carried out or not; after a restart that is found out.
"""

import time

from check import check_table
from server import Refused

READY_SECONDS = 60
MOST_COPIES = 20  # at a time


def wait_for(what, state):
    """Asks until the state is not CREATING any more, and returns it."""
    limit = time.monotonic() + READY_SECONDS
    while (answer := state()) == "CREATING":
        assert time.monotonic() < limit, f"{what} is never ready"
        time.sleep(0.005)
    return answer


class Copy:
    """A table or a backup that should hold a moment of another table."""

    def __init__(self, name, table, moment, what):
        self.name = name
        self.table = table
        self.moment = moment
        self.what = what
        self.backup = None  # from which it is restored
        self.acknowledged = False
        self.deleting = False


class Backup(Copy):
    arn = None
    available = False  # as the server said
    restored = False  # or about to be


class Copies:
    """The copies there are, whichever their state. Not thread-safe."""

    def __init__(self, own_tables):
        self._own_tables = set(own_tables)
        self._tables = []
        self._backups = []
        self._serial = 0
        self.compared = 0
        self.interrupted = 0  # restored tables that were not compared yet at a kill
        self.backups_made = 0
        self.backups_given_up = 0

    @property
    def has_room(self):
        return len(self._tables) + len(self._backups) < MOST_COPIES

    def _name(self, kind, table):
        self._serial += 1
        return f"{table}-{kind}-{self._serial}"

    def restore(self, client, table, moment, time_ms):
        """Begins to restore a table to a time, or to the present if there is none."""
        source = {"SourceTableName": table}
        if time_ms is None:
            source["UseLatestRestorableTime"] = True
        else:
            source["RestoreDateTime"] = time_ms / 1000
        name = self._name("copy", table)
        copy = Copy(name, table, moment, f"{name}, restored to {time_ms or 'the present'}")
        self._begin(client, copy, "RestoreTableToPointInTime", source)

    def _begin(self, client, copy, operation, source):
        self._tables.append(copy)
        client.call(operation, TargetTableName=copy.name, **source)
        copy.acknowledged = True

    def back_up(self, client, table, moment):
        """Begins a backup of a table, which shall hold the moment."""
        name = self._name("backup", table)
        backup = Backup(name, table, moment, name)
        self._backups.append(backup)
        answer = client.call("CreateBackup", TableName=table, BackupName=name)
        backup.arn = answer["BackupDetails"]["BackupArn"]
        backup.acknowledged = True
        self.backups_made += 1

    def check_tables(self, client):
        """Waits for all restored tables, compares and deletes them."""
        for copy in list(self._tables):
            self._wait_for_table(client, copy)
            found = check_table(client, copy.name, like=copy.table)
            copy.moment.check(copy.table, found, copy.what)
            self.compared += 1
            copy.deleting = True
            client.call("DeleteTable", TableName=copy.name)
            self._tables.remove(copy)

    def restore_backups(self, client):
        """Begins to restore every backup that has not been yet."""
        for backup in self._backups:
            if backup.restored:
                continue
            self._wait_for_backup(client, backup)
            assert backup.available, f"{backup.what} is gone"
            name = self._name("copy", backup.table)
            copy = Copy(name, backup.table, backup.moment, f"{name}, restored from {backup.name}")
            copy.backup = backup
            backup.restored = True
            self._begin(client, copy, "RestoreTableFromBackup", {"BackupArn": backup.arn})

    def delete_backups(self, client, keep):
        """Deletes the oldest backups that were compared. No restore must be under way."""
        compared = [backup for backup in self._backups if backup.restored]
        for backup in compared[: max(0, len(compared) - keep)]:
            backup.deleting = True
            client.call("DeleteBackup", BackupArn=backup.arn)
            self._backups.remove(backup)

    def settle(self, client):
        """After a restart: finds out what became of requests that were not answered."""
        listed = set(client.call("ListTables")["TableNames"]) - self._own_tables
        for copy in list(self._tables):
            if copy.name in listed:
                listed.remove(copy.name)
                self.interrupted += 1
                continue
            assert copy.deleting or not copy.acknowledged, f"{copy.what} is gone"
            if copy.backup and not copy.deleting:
                copy.backup.restored = False
            self._tables.remove(copy)
        assert not listed, f"nobody asked for {listed}"
        self._settle_backups(client)

    def _settle_backups(self, client):
        listed = {
            summary["BackupName"]: summary["BackupArn"]
            for summary in client.call("ListBackups", BackupType="ALL")["BackupSummaries"]
        }
        for backup in list(self._backups):
            backup.arn = listed.pop(backup.name, None)
            was_available, backup.available = backup.available, False
            if backup.arn:
                self._wait_for_backup(client, backup)
            if backup.available:
                backup.deleting = False
                continue
            assert backup.deleting or not was_available, f"{backup.what} is gone"
            self.backups_given_up += backup.acknowledged and not backup.deleting
            self._backups.remove(backup)
        assert not listed, f"nobody asked for {listed}"

    def _wait_for_table(self, client, copy):
        def status():
            return client.call("DescribeTable", TableName=copy.name)["Table"]["TableStatus"]

        found = wait_for(copy.what, status)
        assert found == "ACTIVE", f"{copy.what} is {found}"

    def _wait_for_backup(self, client, backup):
        def status():
            try:
                answer = client.call("DescribeBackup", BackupArn=backup.arn)
            except Refused as error:
                assert error.type == "BackupNotFoundException", error
                return "GONE"
            return answer["BackupDescription"]["BackupDetails"]["BackupStatus"]

        backup.available = wait_for(backup.what, status) == "AVAILABLE"
