// Whoever else uses the machine can read nothing of what the server writes.

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { modelPath } from '../model/designs.js';
import { attributes, keySchema, newClient, S, send } from '../support/dynamodb.js';
import { own } from '../support/own_operations.js';
import { runBinary, startServer, temporaryFolder } from '../support/server.js';

// Programs that this process starts inherit it: without measures of their own, all can read all.
process.umask(0);

const modeOf = (path) => (statSync(path).mode & 0o7777).toString(8);

// What others could open: paths and modes.
function open(folder) {
  const found = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if ((statSync(path).mode & 0o77) !== 0) found.push(`${path} ${modeOf(path)}`);
  }
  return found;
}

async function settled(describe) {
  for (;;) {
    const { status, reason } = await describe();
    if (status === 'COMPLETED') return;
    assert.equal(status, 'IN_PROGRESS', reason);
    await new Promise((next) => setTimeout(next, 10));
  }
}

test('data, backups, exports and restored copies are for their owner only', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer({
    data: join(folder, 'data'),
    durability: 'relaxed',
    args: ['--model', modelPath('sales'), '--samples'],
  });
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  const created = await send(
    'CreateTable',
    {
      TableName: 'notes',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes('pk'),
      KeySchema: keySchema('pk'),
    },
    client,
  );
  await send('PutItem', { TableName: 'notes', Item: { pk: S('a') } }, client);
  const { TableArn } = created.TableDescription;
  await send(
    'UpdateContinuousBackups',
    {
      TableName: 'notes',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
    client,
  );
  const { ExportDescription } = await send(
    'ExportTableToPointInTime',
    { TableArn, S3Bucket: 'bucket' },
    client,
  );
  const { ExportArn } = ExportDescription;
  await settled(async () => {
    const described = await send('DescribeExport', { ExportArn }, client);
    const { ExportStatus, FailureMessage } = described.ExportDescription;
    return { status: ExportStatus, reason: FailureMessage };
  });
  await own(server, 'CreateServerBackup');

  const restored = join(folder, 'restored');
  const backups = join(folder, 'data-backups');
  mkdirSync(restored);
  const { code, errors } = await runBinary([
    'backup',
    'restore',
    'latest',
    '--backup-folder',
    backups,
    '--to',
    restored,
  ]);
  assert.equal(code, 0, errors);
  assert.ok(readdirSync(join(folder, 'data', 's3', 'bucket')).length > 0);
  assert.deepEqual(open(folder), []);
});

// Versions before this one left folders open, and so do tools that make folders for the server.
test('an open data folder is closed at the start, a shared one is reported', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  for (let i = 0; i < 2; i += 1) {
    mkdirSync(data, { recursive: true });
    chmodSync(data, 0o755);
    const server = await startServer({ data });
    await server.stop();
    assert.match(server.errors, /other users could look into \S+ \(mode 0755\)/);
    assert.equal(modeOf(data), '700');
  }
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o755);
  writeFileSync(join(shared, 'notes.txt'), 'of somebody');
  const server = await startServer({ data: shared });
  await server.stop();
  assert.match(server.errors, /warning other users can look into \S+ \(mode 0755\)/);
  assert.equal(modeOf(shared), '755');
});

// What a command prints for the user is the user's own file.
test('documents that a command writes follow the umask of the user', async (t) => {
  const folder = temporaryFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'openapi.json');
  const { code, errors } = await runBinary([
    'model',
    'export',
    'openapi',
    modelPath('sales'),
    '--out',
    path,
  ]);
  assert.equal(code, 0, errors);
  assert.equal(modeOf(path), '666');
});
