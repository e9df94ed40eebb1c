// Point-in-time recovery: a table as it was at a moment, and what is left of one that was deleted.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  allPages,
  attributes,
  invalid,
  keySchema,
  newTable,
  projectAll,
  putAll,
  rejects,
  removeLater,
  send,
  unique,
  untilActive,
} from '../support/dynamodb.js';

const enable = (TableName, more = {}) =>
  send('UpdateContinuousBackups', {
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, ...more },
  });

const recoveryOf = async (TableName) => {
  const answer = await send('DescribeContinuousBackups', { TableName });
  assert.equal(answer.ContinuousBackupsDescription.ContinuousBackupsStatus, 'ENABLED');
  return answer.ContinuousBackupsDescription.PointInTimeRecoveryDescription;
};

async function itemsOf(TableName, IndexName) {
  const { items } = await allPages('Scan', { TableName, IndexName });
  return items.sort((a, b) => a.pk.S.localeCompare(b.pk.S));
}

const item = (pk, value) => ({ pk: { S: pk }, g: { S: value } });

const newSource = () =>
  newTable('pk', {
    AttributeDefinitions: attributes('g'),
    GlobalSecondaryIndexes: [
      { IndexName: 'by-g', KeySchema: keySchema('g'), Projection: projectAll },
    ],
  });

async function restore(SourceTableName, when) {
  const TargetTableName = unique('restored');
  const { TableDescription } = await send('RestoreTableToPointInTime', {
    SourceTableName,
    TargetTableName,
    ...when,
  });
  assert.equal(TableDescription.TableStatus, 'CREATING');
  assert.equal(TableDescription.RestoreSummary.RestoreInProgress, true);
  removeLater(TargetTableName);
  return untilActive(TargetTableName);
}

test('recovery says how far it reaches', async () => {
  const TableName = await newSource();
  const off = await recoveryOf(TableName);
  assert.equal(off.PointInTimeRecoveryStatus, 'DISABLED');
  assert.equal(off.EarliestRestorableDateTime, undefined);
  await enable(TableName, { RecoveryPeriodInDays: 7 });
  const on = await recoveryOf(TableName);
  assert.equal(on.PointInTimeRecoveryStatus, 'ENABLED');
  assert.equal(on.RecoveryPeriodInDays, 7);
  assert.ok(on.EarliestRestorableDateTime <= on.LatestRestorableDateTime);
  await invalid(
    enable(TableName, { RecoveryPeriodInDays: 36 }),
    /Member must have value less than or equal to 35/,
  );
  await rejects(enable('nothing-here'), 'TableNotFoundException', 'Table not found: nothing-here');
});

test('a table is restored to a moment, exactly', async () => {
  const TableName = await newSource();
  await putAll(TableName, [item('a', 'one'), item('b', 'one')]);
  await enable(TableName);
  await sleep(5);
  const { LatestRestorableDateTime: RestoreDateTime } = await recoveryOf(TableName);
  await sleep(5);
  await putAll(TableName, [item('a', 'two'), item('c', 'two')]);
  await send('DeleteItem', { TableName, Key: { pk: { S: 'b' } } });

  const then = await restore(TableName, { RestoreDateTime });
  const before = [item('a', 'one'), item('b', 'one')];
  assert.deepEqual(await itemsOf(then.TableName), before);
  assert.deepEqual(await itemsOf(then.TableName, 'by-g'), before);
  assert.equal(then.ItemCount, 2);
  assert.equal(then.RestoreSummary.RestoreDateTime.getTime(), RestoreDateTime.getTime());
  assert.equal(then.RestoreSummary.SourceBackupArn, undefined);

  const now = await restore(TableName, { UseLatestRestorableTime: true });
  assert.deepEqual(await itemsOf(now.TableName), [item('a', 'two'), item('c', 'two')]);
  assert.equal((await recoveryOf(now.TableName)).PointInTimeRecoveryStatus, 'DISABLED');
});

test('what cannot be restored is refused', async () => {
  const TableName = await newSource();
  const to = (when, SourceTableName = TableName) =>
    send('RestoreTableToPointInTime', {
      SourceTableName,
      TargetTableName: unique('restored'),
      ...when,
    });
  await rejects(
    to({ UseLatestRestorableTime: true }),
    'PointInTimeRecoveryUnavailableException',
    `Point in time recovery is not enabled for table '${TableName}'`,
  );
  await enable(TableName);
  const range = /between EarliestRestorableDateTime \(.*\) and LatestRestorableDateTime \(.*\)/;
  const past = new Date(Date.now() - 3_600_000);
  const future = new Date(Date.now() + 3_600_000);
  await rejects(to({ RestoreDateTime: past }), 'InvalidRestoreTimeException', range);
  await rejects(to({ RestoreDateTime: future }), 'InvalidRestoreTimeException', range);
  await rejects(
    to({ UseLatestRestorableTime: true }, 'nothing-here'),
    'TableNotFoundException',
    'Table not found: nothing-here',
  );
  await rejects(
    send('RestoreTableToPointInTime', {
      SourceTableName: TableName,
      TargetTableName: TableName,
      UseLatestRestorableTime: true,
    }),
    'TableAlreadyExistsException',
    `Table already exists: ${TableName}`,
  );
});

test('deleting a table leaves a system backup', async () => {
  const TableName = await newSource();
  await putAll(TableName, [item('a', 'one'), item('b', 'two')]);
  await enable(TableName);
  await send('DeleteTable', { TableName });
  const { BackupSummaries } = await send('ListBackups', { TableName, BackupType: 'SYSTEM' });
  assert.equal(BackupSummaries.length, 1);
  const [backup] = BackupSummaries;
  assert.equal(backup.BackupName, `${TableName}$DeletedTableBackup`);
  assert.equal(backup.BackupType, 'SYSTEM');
  const days = (backup.BackupExpiryDateTime - backup.BackupCreationDateTime) / 86_400_000;
  assert.equal(days, 35);
  await send('RestoreTableFromBackup', {
    BackupArn: backup.BackupArn,
    TargetTableName: TableName,
  });
  const restored = await untilActive(TableName);
  assert.equal(restored.ItemCount, 2);
  assert.deepEqual(await itemsOf(TableName), [item('a', 'one'), item('b', 'two')]);
  await send('DeleteBackup', { BackupArn: backup.BackupArn });
});
