// Time to live with a clock that stands still: what expires, when it goes, and who is said to have
// deleted it.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';

import * as streams from '@aws-sdk/client-dynamodb-streams';

import { attributes, keySchema, N, newClient, projectAll, S, send } from '../support/dynamodb.js';
import { credentials, region } from '../support/endpoint.js';
import { own } from '../support/own_operations.js';
import { startServer, temporaryFolder } from '../support/server.js';

const START = Date.parse('2026-03-01T12:00:00Z') / 1000;
const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;
const TableName = 'oms_trading_data_dev';

async function serving(t, { args = [], ...options } = {}) {
  const server = await startServer({
    inMemory: options.data === undefined,
    ...options,
    args: ['--test-clock', '2026-03-01T12:00:00Z', ...args],
  });
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  return {
    server,
    call: (operation, input) => send(operation, { TableName, ...input }, client),
    advance: (Seconds) => own(server, 'AdvanceClock', { Seconds }),
    report: async () => (await own(server, 'DescribeExpiry', { TableName })).Tables[0],
  };
}

async function createTable(call, more = {}) {
  await call('CreateTable', {
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('PK', 'G'),
    KeySchema: keySchema('PK'),
    GlobalSecondaryIndexes: [
      { IndexName: 'by-g', KeySchema: keySchema('G', 'PK'), Projection: projectAll },
    ],
    ...more,
  });
}

const switchOn = (call, Enabled = true, AttributeName = 'ttl') =>
  call('UpdateTimeToLive', { TimeToLiveSpecification: { Enabled, AttributeName } });

const put = (call, key, ttl, more = {}) =>
  call('PutItem', { Item: { PK: S(key), G: S('g'), ...(ttl && { ttl }), ...more } });

async function keys(call, input = {}) {
  const { Items } = await call('Scan', input);
  return Items.map(({ PK }) => PK.S).sort();
}

test('items go seconds after their time, from indexes too', async (t) => {
  const { call, advance, report } = await serving(t);
  await createTable(call);
  await switchOn(call);
  await put(call, 'em breve', N(START + 10));
  await put(call, 'mais tarde', N(START + HOUR));
  await put(call, 'nunca');
  await put(call, 'texto', S(String(START + 10)));
  await put(call, 'antigo', N(START - 5 * YEAR - HOUR));
  await put(call, 'milissegundos', N((START + 10) * 1000));
  await advance(11);
  assert.ok((await keys(call)).includes('em breve'), 'expired items can be read until they go');
  const before = await report();
  assert.deepEqual(
    { pending: before.PendingCount, expired: before.ExpiredCount, deleted: before.DeletedCount },
    { pending: 1, expired: 1, deleted: 0 },
  );
  await advance(10);
  const left = ['antigo', 'mais tarde', 'milissegundos', 'nunca', 'texto'];
  assert.deepEqual(await keys(call), left);
  assert.deepEqual(await keys(call, { IndexName: 'by-g' }), left);
  assert.equal((await report()).DeletedCount, 1);
  assert.equal((await call('DescribeTable', {})).Table.ItemCount, left.length);
});

test('what is renewed in time stays', async (t) => {
  const { call, advance } = await serving(t);
  await createTable(call);
  await switchOn(call);
  await put(call, 'a', N(START + 10));
  await put(call, 'b', N(START + 10));
  await advance(12);
  await call('UpdateItem', {
    Key: { PK: S('a') },
    UpdateExpression: 'SET #t = :later',
    ExpressionAttributeNames: { '#t': 'ttl' },
    ExpressionAttributeValues: { ':later': N(START + HOUR) },
  });
  await advance(60);
  assert.deepEqual(await keys(call), ['a']);
});

test('items written before time to live was switched on expire, too', async (t) => {
  const { call, advance } = await serving(t);
  await createTable(call);
  for (let i = 0; i < 300; i += 1) await put(call, `item ${i}`, N(START + (i % 3 ? 10 : HOUR)));
  await switchOn(call);
  await advance(60);
  assert.equal((await keys(call)).length, 100);
});

test('one change an hour', async (t) => {
  const { call, advance } = await serving(t);
  await createTable(call);
  await switchOn(call);
  const again = { name: 'ValidationException', message: /modified multiple times within a fixed/ };
  await assert.rejects(switchOn(call, false), again);
  await advance(HOUR);
  await switchOn(call, false);
  await assert.rejects(switchOn(call), again);
  await put(call, 'a', N(START + HOUR));
  await advance(HOUR + 60);
  assert.deepEqual(await keys(call), ['a'], 'nothing expires while it is off');
  await switchOn(call);
  await advance(1);
  assert.deepEqual(await keys(call), []);
});

test('the stream names the service as the one who deleted', async (t) => {
  const { server, call, advance } = await serving(t);
  await createTable(call, {
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  await switchOn(call);
  await put(call, 'expira', N(START + 10));
  await put(call, 'apagado', N(START + HOUR));
  await call('DeleteItem', { Key: { PK: S('apagado') } });
  await advance(60);
  const reader = new streams.DynamoDBStreamsClient({
    endpoint: server.endpoint,
    region,
    credentials,
  });
  t.after(() => reader.destroy());
  const { Table } = await call('DescribeTable', {});
  const StreamArn = Table.LatestStreamArn;
  const { StreamDescription } = await reader.send(new streams.DescribeStreamCommand({ StreamArn }));
  const removals = {};
  for (const { ShardId } of StreamDescription.Shards) {
    const { ShardIterator } = await reader.send(
      new streams.GetShardIteratorCommand({
        StreamArn,
        ShardId,
        ShardIteratorType: 'TRIM_HORIZON',
      }),
    );
    const { Records } = await reader.send(new streams.GetRecordsCommand({ ShardIterator }));
    for (const record of Records.filter(({ eventName }) => eventName === 'REMOVE')) {
      removals[record.dynamodb.Keys.PK.S] = record;
    }
  }
  assert.deepEqual(Object.keys(removals).sort(), ['apagado', 'expira']);
  assert.deepEqual(removals.expira.userIdentity, {
    Type: 'Service',
    PrincipalId: 'dynamodb.amazonaws.com',
  });
  assert.deepEqual(removals.expira.dynamodb.OldImage.ttl, N(START + 10));
  assert.equal(removals.apagado.userIdentity, undefined);
});

test('what expired while the server was down goes at the next start', async (t) => {
  const data = temporaryFolder();
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const first = await serving(t, { data });
  await createTable(first.call);
  await switchOn(first.call);
  await put(first.call, 'a', N(START + 10));
  await put(first.call, 'b', N(START + HOUR));
  await first.server.stop('SIGKILL');
  const second = await serving(t, { data });
  assert.deepEqual(await keys(second.call), ['a', 'b']);
  await second.advance(60);
  assert.deepEqual(await keys(second.call), ['b']);
});
