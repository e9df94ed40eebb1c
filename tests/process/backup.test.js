// Backups of the whole server with the real command: made under writes, listed, verified, restored,
// tried out, and made on schedule.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { attributes, keySchema, N, newClient, projectAll, S, send } from '../support/dynamodb.js';
import { own } from '../support/own_operations.js';
import { runBinary, startServer, temporaryFolder } from '../support/server.js';

const DAY = 24 * 3600;

// A server with a folder for its data, and room beside it.
async function serving(t, { args = [], folder = temporaryFolder() } = {}) {
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer({ data: join(folder, 'data'), durability: 'relaxed', args });
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  const call = (operation, input) => send(operation, { TableName: 'notes', ...input }, client);
  return { server, call, folder, backups: join(folder, 'data-backups') };
}

const createTable = (call, TableName = 'notes') =>
  call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('pk', 'sk:N', 'kind'),
    KeySchema: keySchema('pk', 'sk'),
    LocalSecondaryIndexes: [
      { IndexName: 'mine', KeySchema: keySchema('pk', 'kind'), Projection: projectAll },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'kinds',
        KeySchema: keySchema('kind', 'pk'),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });

const put = (call, i, text = 'x') =>
  call('PutItem', {
    Item: { pk: S(`p${i % 7}`), sk: N(i), kind: S(`k${i % 3}`), text: S(text) },
  });

async function putMany(call, from, to, text) {
  for (let i = from; i < to; i += 25) {
    await Promise.all(
      Array.from({ length: Math.min(25, to - i) }, (_, j) => put(call, i + j, text)),
    );
  }
}

// Writes until it is stopped, and answers how many writes there were.
function writing(call) {
  let go = true;
  const done = (async () => {
    let i = 0;
    for (; go; i += 5) {
      const all = [0, 1, 2, 3, 4].map((j) => put(call, 10_000 + ((i + j) % 500), `v${i}`));
      await Promise.all(all);
    }
    return i;
  })();
  return () => {
    go = false;
    return done;
  };
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

const bytesIn = (folder) => filesOf(folder).reduce((sum, file) => sum + statSync(file).size, 0);

function damage(file) {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] ^= 0x5a;
  writeFileSync(file, bytes);
}

async function runs(...args) {
  const result = await runBinary(args, { limitMs: 50_000 });
  assert.equal(result.code, 0, result.errors + result.output);
  return result.output;
}

test('a backup under writes is restored as of its moment', async (t) => {
  const { server, call, folder, backups } = await serving(t);
  await createTable(call);
  await putMany(call, 0, 300);
  const stop = writing(call);
  const made = await runs('backup', 'create', '--endpoint', server.endpoint);
  assert.match(made, /^backup 1 of \S+Z: \S+ [KM]?B in \d+ files, \d+ items in 1 table\n/);
  assert.match(made, new RegExp(`It is in ${backups} and took [0-9.]+ seconds\\.\n$`));
  assert.ok((await stop()) > 0);
  assert.ok(!existsSync(join(folder, 'data/checkpoint')));

  const restored = join(folder, 'restored');
  const said = await runs(
    ...['backup', 'restore', 'latest', '--to', restored, '--backup-folder', backups],
  );
  assert.match(said, new RegExp(`monotable serve --data ${restored}\n$`));
  const copy = await startServer({ data: restored });
  t.after(() => copy.stop('SIGKILL'));
  const client = newClient({ endpoint: copy.endpoint });
  t.after(() => client.destroy());
  const { Table } = await send('DescribeTable', { TableName: 'notes' }, client);
  const [, items] = /, (\d+) items/.exec(made);
  assert.equal(Table.ItemCount, Number(items));
  const { Count } = await send('Scan', { TableName: 'notes' }, client);
  assert.equal(Count, Number(items));
  await put((operation, input) => send(operation, { TableName: 'notes', ...input }, client), 1);
});

test('the restore test compares every table under writes', async (t) => {
  const { server, call, folder, backups } = await serving(t);
  await createTable(call);
  await createTable(call, 'empty');
  await putMany(call, 0, 200);
  const stop = writing(call);
  const output = await runs('backup', 'test', '--endpoint', server.endpoint);
  await stop();
  assert.match(output, /^TABLE +ITEMS +INDEX ENTRIES +RESULT$/m);
  assert.match(output, /^empty +0 +0 +same$/m);
  assert.match(output, /^notes +(\d+) +\d+ +same$/m);
  assert.match(output, /The restored copy is what the server had at that moment: \d+ items/);
  const left = readdirSync(folder).sort();
  assert.deepEqual(left, ['data', 'data-backups'], 'the copy is gone');
  assert.ok(existsSync(join(backups, 'meta/1')), 'the backup stays');
});

test('the second backup has only what is new', async (t) => {
  const { server, call, backups } = await serving(t);
  await createTable(call);
  await putMany(call, 0, 400, 'long '.repeat(2000));
  const first = await own(server, 'CreateServerBackup');
  assert.equal(first.Backup.Folder, backups);
  const before = bytesIn(backups);
  assert.ok(before > 100_000, `${before}`);
  await put(call, 9999);
  const { Backup } = await own(server, 'CreateServerBackup');
  assert.equal(Backup.Id, 2);
  assert.ok(Backup.Bytes >= first.Backup.Bytes, 'its size is that of all it needs');
  const more = bytesIn(backups) - before;
  assert.ok(more < before / 4, `${more} of ${before}`);
  const { Backups } = await own(server, 'ListServerBackups');
  assert.deepEqual(
    Backups.map(({ Id, Tables }) => [Id, Tables]),
    [
      [1, [{ TableName: 'notes', ItemCount: 400 }]],
      [2, [{ TableName: 'notes', ItemCount: 401 }]],
    ],
  );
});

test('a damaged file is found and named', async (t) => {
  const { server, call, backups } = await serving(t);
  await createTable(call);
  await putMany(call, 0, 100);
  await own(server, 'CreateServerBackup');
  await own(server, 'CreateServerBackup');
  const folder = ['--backup-folder', backups];
  const good = await runs('backup', 'verify', '--all', ...folder);
  assert.match(good, /^(backup [12] of .*: good\n){2}$/);

  const shared = join(backups, 'shared_checksum');
  const [largest] = filesOf(shared).sort((a, b) => statSync(b).size - statSync(a).size);
  damage(largest);
  const verified = await runBinary(['backup', 'verify', '1', ...folder]);
  assert.equal(verified.code, 1);
  assert.ok(verified.errors.includes(largest.slice(backups.length + 1)), verified.errors);
  assert.equal(verified.errors.trim().split('\n').length, 1);
  const to = join(backups, '../restored');
  const refused = await runBinary(['backup', 'restore', '1', '--to', to, ...folder]);
  assert.equal(refused.code, 1);
  assert.match(refused.errors, /is damaged/);
  assert.ok(!existsSync(join(to, 'CURRENT')));

  const tested = await runBinary(['backup', 'test', '--endpoint', server.endpoint]);
  assert.equal(tested.code, 1, 'the next backup shares the damaged file');
  assert.match(tested.errors, /is damaged: the file shared_checksum/);

  rmSync(filesOf(join(backups, 'private/2'))[0]);
  assert.match(await runs('backup', 'list', ...folder), /^ +2 {2}damaged$/m);
});

test('nothing is restored over data', async (t) => {
  const { server, call, folder } = await serving(t);
  await createTable(call);
  await runs('backup', 'create', '--endpoint', server.endpoint);
  const data = join(folder, 'data');
  const full = await runBinary(['backup', 'restore', '1', '--to', data, '--data', data]);
  assert.equal(full.code, 1);
  assert.match(full.errors, /is not empty/);
  const busy = join(folder, 'busy');
  mkdirSync(busy);
  writeFileSync(join(busy, 'diary.txt'), 'Caro diário');
  assert.equal((await runBinary(['backup', 'restore', '1', '--to', busy, '--data', data])).code, 1);
  assert.equal(readFileSync(join(busy, 'diary.txt'), 'utf8'), 'Caro diário');
});

test('backups are made when they are due, and the newest are kept', async (t) => {
  const schedule = ['--test-clock', '2026-03-01T12:00:00Z', '--backup-every', '24h'];
  const args = [...schedule, '--backup-keep', '3'];
  const { server, call, folder } = await serving(t, { args });
  await createTable(call);
  const days = async () => {
    const { Backups } = await own(server, 'ListServerBackups');
    return Backups.map(({ Time }) => new Date(Time * 1000).toISOString().slice(0, 10));
  };
  await own(server, 'AdvanceClock', { Seconds: 0 });
  assert.deepEqual(await days(), ['2026-03-01'], 'the first at once');
  await own(server, 'AdvanceClock', { Seconds: DAY - 1 });
  assert.deepEqual(await days(), ['2026-03-01']);
  await own(server, 'AdvanceClock', { Seconds: 1 });
  assert.deepEqual(await days(), ['2026-03-01', '2026-03-02']);
  for (let day = 0; day < 3; day += 1) await own(server, 'AdvanceClock', { Seconds: DAY });
  assert.deepEqual(await days(), ['2026-03-03', '2026-03-04', '2026-03-05']);
  assert.match(server.errors, / info Backup 5: [0-9.]+ seconds, \d+ bytes in \d+ files, /);
  const list = await runs('backup', 'list', '--data', join(folder, 'data'));
  assert.match(list, /^ +5 {2}2026-03-05T12:00:00Z +[0-9.]+ [KM]?B +1 +0$/m);

  // The next process goes on from the newest backup.
  await server.stop();
  const next = await startServer({
    data: join(folder, 'data'),
    args: ['--test-clock', '2026-03-06T11:59:59Z', '--backup-every', '24h'],
  });
  t.after(() => next.stop('SIGKILL'));
  const newest = async () => (await own(next, 'ListServerBackups')).Backups.at(-1).Id;
  await own(next, 'AdvanceClock', { Seconds: 0 });
  assert.equal(await newest(), 5);
  await own(next, 'AdvanceClock', { Seconds: 1 });
  assert.equal(await newest(), 6);
});

test('a backup that fails is a warning, and the server goes on', async (t) => {
  const folder = temporaryFolder();
  const blocked = join(folder, 'blocked');
  writeFileSync(blocked, 'a file');
  const { server, call } = await serving(t, {
    folder,
    args: [
      ...['--test-clock', '2026-03-01T12:00:00Z'],
      ...['--backup-every', '24h', '--backup-folder', blocked],
    ],
  });
  await createTable(call);
  await own(server, 'AdvanceClock', { Seconds: 0 });
  assert.match(server.errors, /warning The scheduled backup failed and is tried again in 300 sec/);
  await put(call, 1);
  const asked = await runBinary(['backup', 'create', '--endpoint', server.endpoint]);
  assert.equal(asked.code, 1);
  assert.match(asked.errors, /is a file\. Choose a folder\.\n$/);
  rmSync(blocked);
  await own(server, 'AdvanceClock', { Seconds: 300 });
  assert.match(await runs('backup', 'list', '--backup-folder', blocked), /^ +1 {2}2026-03-01/m);
});

test('a server in memory has nothing to back up', async (t) => {
  const server = await startServer({ inMemory: true });
  t.after(() => server.stop('SIGKILL'));
  const { code, errors } = await runBinary(['backup', 'create', '--endpoint', server.endpoint]);
  assert.equal(code, 1);
  assert.match(errors, /^monotable: This server keeps its data in memory, .*\n$/);
  const start = await runBinary(['serve', '--in-memory', '--backup-every', '24h']);
  assert.equal(start.code, 1);
  assert.match(start.errors, /there are no files to back up/);
});

test('the report of expiry is a table', async (t) => {
  const args = ['--test-clock', '2026-03-01T12:00:00Z'];
  const { server, call } = await serving(t, { args });
  await createTable(call);
  const ttl = () => runs('ttl', 'notes', '--endpoint', server.endpoint);
  assert.equal(await ttl(), 'The table notes has no time to live.\n');
  assert.equal(await runs('ttl', '--endpoint', server.endpoint), 'No table has time to live.\n');
  await call('UpdateTimeToLive', {
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' },
  });
  const soon = Date.parse('2026-03-01T12:00:10Z') / 1000;
  for (const [i, until] of [soon, soon, soon + DAY].entries()) {
    await call('PutItem', { Item: { pk: S('p'), sk: N(i), until: N(until) } });
  }
  await own(server, 'AdvanceClock', { Seconds: 12 });
  assert.match(await ttl(), /^notes +until +1 +2 +0 +0 +2026-03-01T12:00:10Z$/m);
  await own(server, 'AdvanceClock', { Seconds: 5 });
  assert.match(await ttl(), /^notes +until +1 +0 +0 +2 +-$/m);
  const unknown = await runBinary(['ttl', 'other', '--endpoint', server.endpoint]);
  assert.equal(unknown.code, 1);
  assert.equal(unknown.errors, 'monotable: Requested resource not found\n');
});
