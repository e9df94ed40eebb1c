// Stopping and starting again: nothing that was acknowledged is lost, whatever the way down.

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';

import {
  attributes,
  B,
  keySchema,
  L,
  M,
  N,
  newClient,
  projectAll,
  S,
  send,
} from '../support/dynamodb.js';
import { Connection, requestBytes } from '../support/http.js';
import { startServer, temporaryFolder } from '../support/server.js';

const TableName = 'kept';
const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: attributes('pk', 'g'),
  KeySchema: keySchema('pk'),
  GlobalSecondaryIndexes: [
    { IndexName: 'by-g', KeySchema: keySchema('g', 'pk'), Projection: projectAll },
  ],
};

function folder(t) {
  const path = temporaryFolder();
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function serving(t, options) {
  const server = await startServer(options);
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  return { server, client, call: (operation, input) => send(operation, input, client) };
}

// Scans table and index over a connection of its own, and checks that they agree.
async function everything(call) {
  const pages = async (input) => {
    const items = [];
    let ExclusiveStartKey;
    do {
      const page = await call('Scan', { ...input, ExclusiveStartKey });
      items.push(...page.Items);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items.sort((a, b) => (a.pk.S < b.pk.S ? -1 : 1));
  };
  const items = await pages({ TableName });
  assert.deepEqual(await pages({ TableName, IndexName: 'by-g' }), items);
  return new Map(items.map((item) => [item.pk.S, item]));
}

test('a restart keeps tables, settings, items and tokens', async (t) => {
  const data = folder(t);
  const item = {
    pk: S('ação#1/2'),
    g: S('g'),
    n: N('-1.50'),
    l: L(N(1), M({ a: B('x') })),
    set: { SS: ['a'] },
  };
  const transaction = {
    ClientRequestToken: 'once',
    TransactItems: [
      {
        Update: {
          TableName,
          Key: { pk: S('counter') },
          UpdateExpression: 'ADD n :one SET g = :g',
          ExpressionAttributeValues: { ':one': N(1), ':g': S('g') },
        },
      },
    ],
  };
  const first = await serving(t, { data });
  await first.call('CreateTable', {
    ...definition,
    Tags: [{ Key: 'a', Value: 'b' }],
    DeletionProtectionEnabled: true,
  });
  await first.call('UpdateTimeToLive', {
    TableName,
    TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' },
  });
  await first.call('PutItem', { TableName, Item: item });
  await first.call('TransactWriteItems', transaction);
  const { Table: before } = await first.call('DescribeTable', { TableName });
  assert.equal((await first.server.stop()).code, 0);

  const second = await serving(t, { data });
  const { Table: after } = await second.call('DescribeTable', { TableName });
  assert.deepEqual(after, before);
  const { TimeToLiveDescription } = await second.call('DescribeTimeToLive', { TableName });
  assert.equal(TimeToLiveDescription.AttributeName, 'ttl');
  const { Tags } = await second.call('ListTagsOfResource', { ResourceArn: after.TableArn });
  assert.deepEqual(Tags, [{ Key: 'a', Value: 'b' }]);
  // A client may replay its transaction to the server that came back.
  await second.call('TransactWriteItems', transaction);
  const items = await everything(second.call);
  assert.deepEqual(items.get('counter').n, N(1));
  assert.deepEqual(items.get(item.pk.S).n, N('-1.5'));
  assert.equal(items.size, 2);
});

// Each way down: the signal, and whether a clean end is expected.
for (const [signal, durability] of [
  ['SIGTERM', 'sync'],
  ['SIGINT', 'sync'],
  ['SIGKILL', 'sync'],
  ['SIGTERM', 'relaxed'],
]) {
  // Writers run until the server is gone; each remembers what was acknowledged.
  test(`${signal} under load loses no acknowledged write (${durability})`, async (t) => {
    const data = folder(t);
    const first = await serving(t, { data, durability });
    await first.call('CreateTable', definition);
    const acknowledged = new Map();
    const failures = [];
    let down = false;
    const writer = async (id) => {
      for (let i = 0; ; i += 1) {
        const pk = `w${id}-${i % 50}`;
        try {
          await first.call('PutItem', {
            TableName,
            Item: { pk: S(pk), g: S(`g${i % 7}`), i: N(i) },
          });
          acknowledged.set(pk, i);
        } catch (error) {
          if (!down) failures.push(error);
          // The last one may or may not have been written.
          acknowledged.set(pk, [acknowledged.get(pk), i].flat());
          return;
        }
      }
    };
    const writers = Array.from({ length: 8 }, (_, id) => writer(id));
    await new Promise((next) => setTimeout(next, 300));
    down = true;
    const { code } = await first.server.stop(signal);
    if (signal !== 'SIGKILL') assert.equal(code, 0);
    await Promise.all(writers);
    assert.deepEqual(failures, []);
    assert.ok(acknowledged.size > 20);

    const second = await serving(t, { data, durability });
    const items = await everything(second.call);
    for (const [pk, expected] of acknowledged) {
      const found = items.has(pk) ? Number(items.get(pk).i.N) : undefined;
      assert.ok(
        [expected].flat().includes(found),
        `${pk}: acknowledged ${expected}, found ${found}`,
      );
    }
  });
}

// A request that has begun is finished, its answer announcing the end of the connection.
test('a request in flight is answered after SIGTERM', async (t) => {
  const data = folder(t);
  const first = await serving(t, { data });
  await first.call('CreateTable', definition);
  const connection = await Connection.open(first.server.endpoint);
  t.after(() => connection.close());
  const bytes = requestBytes(
    'PutItem',
    { TableName, Item: { pk: S('late'), g: S('g') } },
    { url: first.server.endpoint },
  );
  connection.write(bytes.slice(0, -10));
  // The server has read the beginning when it has answered another request on another connection.
  await first.call('ListTables', {});
  first.server.process.kill('SIGTERM');
  await new Promise((next) => setTimeout(next, 200));
  connection.write(bytes.slice(-10));
  const answer = await connection.response();
  assert.equal(answer?.status, 200);
  assert.equal(answer.headers.connection, 'close');
  assert.equal((await first.server.exited).code, 0);
  const second = await serving(t, { data });
  assert.ok((await everything(second.call)).has('late'));
});

test('idle connections do not hold up the end', async (t) => {
  const { server } = await serving(t, { inMemory: true });
  const connections = await Promise.all(
    Array.from({ length: 10 }, () => Connection.open(server.endpoint)),
  );
  const start = Date.now();
  assert.equal((await server.stop()).code, 0);
  assert.ok(Date.now() - start < 5000);
  for (const connection of connections) connection.close();
});

// An index that was being filled goes on after the restart.
test('a backfill survives a kill', async (t) => {
  const data = folder(t);
  const first = await serving(t, { data, durability: 'relaxed' });
  await first.call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('pk'),
    KeySchema: keySchema('pk'),
  });
  for (let i = 0; i < 2000; i += 25) {
    const requests = Array.from({ length: 25 }, (_, j) => ({
      PutRequest: { Item: { pk: S(`p${i + j}`), g: S(`g${j}`) } },
    }));
    await first.call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
  }
  await first.server.stop();
  const again = await serving(t, { data });
  await again.call('UpdateTable', {
    TableName,
    AttributeDefinitions: attributes('g', 'pk'),
    GlobalSecondaryIndexUpdates: [{ Create: definition.GlobalSecondaryIndexes[0] }],
  });
  await again.server.stop('SIGKILL');
  const last = await serving(t, { data });
  for (;;) {
    const { Table } = await last.call('DescribeTable', { TableName });
    if (Table.TableStatus === 'ACTIVE' && Table.GlobalSecondaryIndexes[0].IndexStatus === 'ACTIVE')
      break;
    await new Promise((next) => setTimeout(next, 10));
  }
  assert.equal((await everything(last.call)).size, 2000);
});

test('an in-memory server starts empty each time', async (t) => {
  const first = await serving(t, { inMemory: true });
  await first.call('CreateTable', definition);
  await first.server.stop();
  const second = await serving(t, { inMemory: true });
  assert.deepEqual((await second.call('ListTables', {})).TableNames, []);
});
