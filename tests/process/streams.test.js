// Streams over time: a consumer that is killed and a server that is restarted while others write,
// and what a day does to shards, records and iterators.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { attributes, keySchema, N, newClient, rejects, S, send } from '../support/dynamodb.js';
import { own } from '../support/own_operations.js';
import { startServer, temporaryFolder } from '../support/server.js';
import { readJournal } from '../support/stream_consumer.js';
import {
  iteratorOf,
  newStreamsClient,
  readFrom,
  readStream,
  shardsOf,
  stream,
} from '../support/streams.js';

const consumerFile = join(dirname(fileURLToPath(import.meta.url)), '../support/stream_consumer.js');
const TableName = 'changes';
const MINUTE = 60;
const HOUR = 60 * MINUTE;

async function createTable(client) {
  const { TableDescription } = await send(
    'CreateTable',
    {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes('pk'),
      KeySchema: keySchema('pk'),
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    },
    client,
  );
  return TableDescription.LatestStreamArn;
}

const put = (client, pk, n) => send('PutItem', { TableName, Item: { pk: S(pk), n: N(n) } }, client);

// A server whose time stands still, with clients of both APIs.
async function serving(t, options = {}) {
  const server = await startServer({
    inMemory: true,
    ...options,
    args: ['--test-clock', '2026-03-01T12:00:00Z'],
  });
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  const reader = newStreamsClient({ endpoint: server.endpoint });
  t.after(() => [client, reader].forEach((each) => each.destroy()));
  return { client, reader, advance: (Seconds) => own(server, 'AdvanceClock', { Seconds }) };
}

// A consumer that is started, killed, and started again, until it is let run to its end.
class ConsumerRuns {
  constructor(endpoint, arn, journal) {
    this.args = [consumerFile, endpoint, arn, journal];
    this.errors = '';
  }

  start() {
    this.process = spawn(process.execPath, ['--no-warnings', ...this.args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.process.stderr.on('data', (bytes) => (this.errors += bytes));
    this.exited = new Promise((done) => this.process.on('close', (code) => done(code)));
  }

  async kill() {
    this.process.kill('SIGKILL');
    await this.exited;
  }
}

// Gives three items numbers, one after the other, until told to stop; answers how many. A write
// whose answer was lost is sent again: if it had been done, that changes nothing and leaves no
// record.
async function write(client, writer, stopped) {
  for (let n = 0; ;) {
    try {
      await put(client, `w${writer}-${n % 3}`, n);
      n += 1;
      if (stopped.aborted) return n;
    } catch (error) {
      if (error.$metadata?.httpStatusCode < 500) throw error;
      await sleep(5);
    }
  }
}

const bytesOf = (file) => (existsSync(file) ? statSync(file).size : 0);

function perItem(lines) {
  const items = new Map();
  for (const { records } of lines) {
    for (const { keys, image } of records) {
      if (!items.has(keys.pk.S)) items.set(keys.pk.S, []);
      items.get(keys.pk.S).push(Number(image.n.N));
    }
  }
  return items;
}

test('a consumer reads every change exactly once', async (t) => {
  const WRITERS = 4;
  const ROUNDS = 5;
  const data = temporaryFolder();
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const journal = join(data, 'consumer.journal');
  const folder = join(data, 'store');
  let server = await startServer({ data: folder, durability: 'relaxed' });
  t.after(() => server.stop('SIGKILL'));
  const { endpoint, port } = server;
  const client = newClient({ endpoint });
  t.after(() => client.destroy());
  const arn = await createTable(client);
  const consumer = new ConsumerRuns(endpoint, arn, journal);
  consumer.start();
  t.after(() => consumer.process.kill('SIGKILL'));

  const stop = new AbortController();
  const writers = Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => write(client, writer, stop.signal)),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = bytesOf(journal);
    while (bytesOf(journal) < before + 2000) {
      assert.equal(consumer.process.exitCode, null, consumer.errors);
      await sleep(5);
    }
    await consumer.kill();
    if (round % 2 === 0) {
      await server.stop(round % 4 === 0 ? 'SIGKILL' : 'SIGTERM');
      server = await startServer({ data: folder, durability: 'relaxed', port });
    }
    consumer.start();
  }
  stop.abort();
  const counts = await writers;
  await send('UpdateTable', { TableName, StreamSpecification: { StreamEnabled: false } }, client);
  assert.equal(await consumer.exited, 0, consumer.errors);

  const lines = readJournal(journal);
  const ids = lines.flatMap(({ records }) => records.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, 'no change is read twice');
  const items = perItem(lines);
  for (const [writer, count] of counts.entries()) {
    for (let item = 0; item < 3; item += 1) {
      const written = Array.from({ length: count }, (_, n) => n).filter((n) => n % 3 === item);
      assert.deepEqual(items.get(`w${writer}-${item}`), written);
    }
  }
});

test('shards are continued by others every few hours, and followed', async (t) => {
  const { client, reader, advance } = await serving(t);
  const arn = await createTable(client);
  const data = temporaryFolder();
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const journal = join(data, 'consumer.journal');
  const { protocol, hostname, port } = await client.config.endpoint();
  const consumer = new ConsumerRuns(`${protocol}//${hostname}:${port}`, arn, journal);
  consumer.start();
  t.after(() => consumer.process.kill('SIGKILL'));
  for (let n = 0; n < 200; n += 1) {
    await put(client, `k${n % 7}`, n);
    if (n % 50 === 49) await advance(5 * HOUR);
  }
  const shards = await shardsOf(arn, reader);
  const ids = new Set(shards.map(({ ShardId }) => ShardId));
  const closed = shards.filter(
    ({ SequenceNumberRange }) => SequenceNumberRange.EndingSequenceNumber,
  );
  const children = shards.filter(({ ParentShardId }) => ParentShardId);
  assert.equal(children.length, closed.length);
  assert.equal(shards.length, 5 * (shards.length - closed.length));
  for (const { ShardId, ParentShardId } of children) {
    assert.ok(ids.has(ParentShardId));
    const { StreamDescription } = await stream(
      'DescribeStream',
      { StreamArn: arn, ShardFilter: { Type: 'CHILD_SHARDS', ShardId: ParentShardId } },
      reader,
    );
    assert.deepEqual(
      StreamDescription.Shards.map((child) => child.ShardId),
      [ShardId],
    );
  }
  await send('UpdateTable', { TableName, StreamSpecification: { StreamEnabled: false } }, client);
  assert.equal(await consumer.exited, 0, consumer.errors);
  const items = perItem(readJournal(journal));
  for (let item = 0; item < 7; item += 1) {
    const written = Array.from({ length: 200 }, (_, n) => n).filter((n) => n % 7 === item);
    assert.deepEqual(items.get(`k${item}`), written);
  }
});

test('records are there for a day, iterators for fifteen minutes', async (t) => {
  const { client, reader, advance } = await serving(t);
  const arn = await createTable(client);
  await put(client, 'a', 1);
  const [first] = await readStream(arn, reader);
  const { SequenceNumber } = first.dynamodb;
  let holder;
  for (const { ShardId } of await shardsOf(arn, reader)) {
    const from = await iteratorOf(arn, ShardId, {}, reader);
    if ((await readFrom(from, { sender: reader })).records.length > 0) holder = { ShardId, from };
  }
  await advance(15 * MINUTE);
  assert.equal((await readFrom(holder.from, { sender: reader })).records.length, 1);
  await advance(1);
  await rejects(
    stream('GetRecords', { ShardIterator: holder.from }, reader),
    'ExpiredIteratorException',
    /^Iterator expired\. The iterator was created at time Sun Mar 01 12:00:00 UTC 2026 /,
  );
  await advance(2 * HOUR);
  await put(client, 'a', 2);
  await advance(24 * HOUR - 2 * HOUR - 15 * MINUTE - 1);
  assert.equal((await readStream(arn, reader)).length, 2);
  const more = { ShardIteratorType: 'AT_SEQUENCE_NUMBER', SequenceNumber };
  const pointing = await iteratorOf(arn, holder.ShardId, more, reader);
  await advance(1);
  const left = await readStream(arn, reader);
  assert.deepEqual(
    left.map(({ dynamodb }) => dynamodb.NewImage.n.N),
    ['2'],
  );
  const trimmed = [
    'TrimmedDataAccessException',
    'The data you are trying to access has been trimmed',
  ];
  await rejects(iteratorOf(arn, holder.ShardId, more, reader), ...trimmed);
  await rejects(stream('GetRecords', { ShardIterator: pointing }, reader), ...trimmed);
});

test('the streams of a deleted table go after a day', async (t) => {
  const { client, reader, advance } = await serving(t);
  const arn = await createTable(client);
  await put(client, 'a', 1);
  await send('DeleteTable', { TableName }, client);
  await advance(24 * HOUR);
  assert.equal((await readStream(arn, reader)).length, 1);
  await advance(1);
  await rejects(
    stream('DescribeStream', { StreamArn: arn }, reader),
    'ResourceNotFoundException',
    `Requested resource not found: Stream: ${arn} not found`,
  );
  assert.deepEqual((await stream('ListStreams', {}, reader)).Streams, []);
});
