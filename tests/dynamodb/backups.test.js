// On-demand backups: they hold the moment of their request, outlive their table, and can be
// restored with fewer indexes and other billing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  allPages,
  attributes,
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

const items = Array.from({ length: 40 }, (_, i) => ({
  pk: { S: `p${i % 5}` },
  sk: { N: `${i}` },
  g: { S: `g${i % 3}` },
}));

const byKey = (a, b) => `${a.pk.S}/${a.sk.N}`.localeCompare(`${b.pk.S}/${b.sk.N}`);

async function itemsOf(TableName, IndexName) {
  const { items: found } = await allPages('Scan', { TableName, IndexName });
  return found.sort(byKey);
}

const global = {
  IndexName: 'by-g',
  KeySchema: keySchema('g', 'sk'),
  Projection: projectAll,
};
const local = {
  IndexName: 'by-l',
  KeySchema: keySchema('pk', 'l'),
  Projection: { ProjectionType: 'KEYS_ONLY' },
};

async function newSource() {
  const TableName = await newTable('pk sk:N', {
    AttributeDefinitions: attributes('g', 'l'),
    GlobalSecondaryIndexes: [global],
    LocalSecondaryIndexes: [local],
  });
  await putAll(TableName, items);
  return TableName;
}

async function untilAvailable(BackupArn) {
  for (;;) {
    const { BackupDescription } = await send('DescribeBackup', { BackupArn });
    if (BackupDescription.BackupDetails.BackupStatus === 'AVAILABLE') return BackupDescription;
    await sleep(5);
  }
}

async function restore(BackupArn, more = {}) {
  const TargetTableName = unique('restored');
  const { TableDescription } = await send('RestoreTableFromBackup', {
    BackupArn,
    TargetTableName,
    ...more,
  });
  assert.equal(TableDescription.TableStatus, 'CREATING');
  removeLater(TargetTableName);
  return untilActive(TargetTableName);
}

test('a backup holds the moment of its request and outlives its table', async () => {
  const TableName = await newSource();
  const before = Date.now();
  const { BackupDetails } = await send('CreateBackup', { TableName, BackupName: 'nightly' });
  await putAll(TableName, [{ pk: { S: 'late' }, sk: { N: '1' } }]);
  assert.match(
    BackupDetails.BackupArn,
    new RegExp(`:table/${TableName}/backup/0\\d{13}-[0-9a-f]{8}$`),
  );
  assert.equal(BackupDetails.BackupName, 'nightly');
  assert.equal(BackupDetails.BackupType, 'USER');
  assert.ok(BackupDetails.BackupCreationDateTime.getTime() >= before - 60_000);

  const { BackupArn } = BackupDetails;
  const described = await untilAvailable(BackupArn);
  assert.equal(described.SourceTableDetails.TableName, TableName);
  assert.equal(described.SourceTableDetails.ItemCount, items.length);
  assert.equal(described.SourceTableDetails.BillingMode, 'PAY_PER_REQUEST');
  assert.deepEqual(described.SourceTableDetails.KeySchema, keySchema('pk', 'sk'));
  const [index] = described.SourceTableFeatureDetails.GlobalSecondaryIndexes;
  assert.equal(index.IndexName, 'by-g');

  await send('DeleteTable', { TableName });
  const restored = await restore(BackupArn);
  assert.equal(restored.RestoreSummary.SourceBackupArn, BackupArn);
  assert.equal(restored.RestoreSummary.RestoreInProgress, false);
  assert.equal(
    restored.RestoreSummary.RestoreDateTime.getTime(),
    BackupDetails.BackupCreationDateTime.getTime(),
  );
  assert.equal(restored.ItemCount, items.length);
  assert.equal(restored.GlobalSecondaryIndexes[0].ItemCount, items.length);
  const expected = [...items].sort(byKey);
  assert.deepEqual(await itemsOf(restored.TableName), expected);
  assert.deepEqual(await itemsOf(restored.TableName, 'by-g'), expected);

  const { BackupDescription: deleted } = await send('DeleteBackup', { BackupArn });
  assert.equal(deleted.BackupDetails.BackupStatus, 'DELETED');
  await rejects(
    send('DescribeBackup', { BackupArn }),
    'BackupNotFoundException',
    `Backup not found: ${BackupArn}`,
  );
  assert.deepEqual(await itemsOf(restored.TableName), expected);
});

test('a restored table can be written, and have other billing and fewer indexes', async () => {
  const TableName = await newSource();
  const { BackupDetails } = await send('CreateBackup', { TableName, BackupName: 'once' });
  await untilAvailable(BackupDetails.BackupArn);
  const restored = await restore(BackupDetails.BackupArn, {
    BillingModeOverride: 'PROVISIONED',
    ProvisionedThroughputOverride: { ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
    GlobalSecondaryIndexOverride: [],
    LocalSecondaryIndexOverride: [local],
  });
  assert.equal(restored.ProvisionedThroughput.WriteCapacityUnits, 4);
  assert.equal(restored.GlobalSecondaryIndexes, undefined);
  assert.equal(restored.LocalSecondaryIndexes.length, 1);
  assert.deepEqual(restored.AttributeDefinitions, attributes('l', 'pk', 'sk:N'));
  await putAll(restored.TableName, [{ pk: { S: 'new' }, sk: { N: '1' } }]);
  assert.equal((await itemsOf(restored.TableName)).length, items.length + 1);
  assert.equal((await itemsOf(TableName)).length, items.length);
  await rejects(
    send('RestoreTableFromBackup', {
      BackupArn: BackupDetails.BackupArn,
      TargetTableName: TableName,
    }),
    'TableAlreadyExistsException',
    `Table already exists: ${TableName}`,
  );
  await send('DeleteBackup', { BackupArn: BackupDetails.BackupArn });
});

test('backups are listed by table, in pages', async () => {
  const TableName = await newTable('pk');
  const arns = [];
  for (const BackupName of ['first', 'second', 'third']) {
    const { BackupDetails } = await send('CreateBackup', { TableName, BackupName });
    arns.push(BackupDetails.BackupArn);
    await sleep(2);
  }
  const page = await send('ListBackups', { TableName, Limit: 2 });
  assert.deepEqual(
    page.BackupSummaries.map((summary) => summary.BackupName),
    ['first', 'second'],
  );
  assert.equal(page.LastEvaluatedBackupArn, arns[1]);
  const rest = await send('ListBackups', { TableName, ExclusiveStartBackupArn: arns[1] });
  assert.deepEqual(
    rest.BackupSummaries.map((summary) => summary.BackupArn),
    [arns[2]],
  );
  assert.equal(rest.LastEvaluatedBackupArn, undefined);
  const system = await send('ListBackups', { TableName, BackupType: 'SYSTEM' });
  assert.deepEqual(system.BackupSummaries, []);
  const later = await send('ListBackups', {
    TableName,
    TimeRangeLowerBound: new Date(Date.now() + 86_400_000),
  });
  assert.deepEqual(later.BackupSummaries, []);
  for (const BackupArn of arns) {
    await untilAvailable(BackupArn);
    await send('DeleteBackup', { BackupArn });
  }
});

test('what cannot be backed up is refused', async () => {
  await rejects(
    send('CreateBackup', { TableName: 'nothing-here', BackupName: 'nightly' }),
    'TableNotFoundException',
    'Table not found: nothing-here',
  );
  await rejects(
    send('CreateBackup', { TableName: 'nothing-here', BackupName: 'a b' }),
    'ValidationException',
    /Member must satisfy regular expression pattern: \[a-zA-Z0-9_.-\]\+/,
  );
});
