// Requests that ask for much work, and what their neighbours notice of them: nothing that they must
// wait for.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { attributes, keySchema, newClient, projectAll, S, send } from '../support/dynamodb.js';
import { Connection, requestBytes } from '../support/http.js';
import { startServer } from '../support/server.js';

const TableName = 'shared';
const INDEXES = Array.from({ length: 20 }, (_, n) => `g${n}`);

const light = {
  TableName,
  Item: { pk: S('light'), sk: S('light') },
};

async function serving(t) {
  const server = await startServer({ durability: 'relaxed' });
  t.after(() => server.stop('SIGKILL'));
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  const call = (operation, input) => send(operation, input, client);
  await call('CreateTable', {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes('pk', 'sk', ...INDEXES),
    KeySchema: keySchema('pk', 'sk'),
    GlobalSecondaryIndexes: INDEXES.map((name) => ({
      IndexName: `by-${name}`,
      KeySchema: keySchema(name),
      Projection: projectAll,
    })),
  });
  return { server, call, url: server.endpoint };
}

// Sends a request on a connection of its own.
async function sent(t, url, operation, input) {
  const connection = await Connection.open(url);
  t.after(() => connection.close());
  connection.write(requestBytes(operation, input, { url }));
  return connection.response();
}

// Runs a heavy request and light ones beside it, one after the other, and answers how long each
// took.
async function beside(heavy, lightly) {
  const begin = performance.now();
  let running = true;
  const heavyDone = heavy().then((answer) => {
    running = false;
    return { answer, ms: performance.now() - begin };
  });
  const times = [];
  while (running) {
    const start = performance.now();
    await lightly();
    times.push(performance.now() - start);
  }
  const { answer, ms } = await heavyDone;
  return { answer, ms, times, longest: Math.max(...times) };
}

// Searching for t in s compares nearly all of t at every place of s, if it is done simply. That
// would take minutes.
async function putLateMatches(call) {
  const Item = { pk: S('late'), sk: S('late') };
  Item.s = S('a'.repeat(270_000));
  Item.t = S(`${'a'.repeat(129_000)}b`);
  await call('PutItem', { TableName, Item });
}
const lateMatches = {
  TableName,
  Item: { pk: S('late'), sk: S('late') },
  ConditionExpression: Array(150).fill('contains(s, t)').join(' OR '),
};

test('a search that matches late is done in a moment', { timeout: 30_000 }, async (t) => {
  const { call, url } = await serving(t);
  await putLateMatches(call);
  const [answer] = await Promise.all([
    sent(t, url, 'PutItem', lateMatches),
    call('PutItem', light),
    call('Query', {
      TableName,
      KeyConditionExpression: 'pk = :p',
      FilterExpression: lateMatches.ConditionExpression,
      ExpressionAttributeValues: { ':p': S('late') },
    }),
  ]);
  assert.match(answer.text, /ConditionalCheckFailedException/);
});

test('SIGTERM ends a server that is busy searching', { timeout: 30_000 }, async (t) => {
  const { server, call, url } = await serving(t);
  await putLateMatches(call);
  const clients = Array.from({ length: 8 }, async () => {
    while (await sent(t, url, 'PutItem', lateMatches).catch(() => undefined));
  });
  await new Promise((next) => setTimeout(next, 300));
  assert.equal((await server.stop()).code, 0);
  await Promise.all(clients);
});

// The checks read 30 MB and search them several times.
test('small writes pass a transaction of many checks', { timeout: 60_000 }, async (t) => {
  const { call, url } = await serving(t);
  const keys = Array.from({ length: 100 }, (_, n) => ({ pk: S('large'), sk: S(`${n}`) }));
  const text = S('x'.repeat(300_000));
  await Promise.all(keys.map((key) => call('PutItem', { TableName, Item: { ...key, text } })));
  const transaction = {
    TransactItems: keys.map((Key) => ({
      ConditionCheck: {
        TableName,
        Key,
        ConditionExpression: `${Array(8).fill('contains(#t, :y)').join(' OR ')} OR size(#t) > :n`,
        ExpressionAttributeNames: { '#t': 'text' },
        ExpressionAttributeValues: { ':y': S('xxxxxxxy'), ':n': { N: '0' } },
      },
    })),
  };
  const { answer, times } = await beside(
    () => sent(t, url, 'TransactWriteItems', transaction),
    () => call('PutItem', light),
  );
  assert.equal(answer.status, 200);
  // At most three would be answered before and after the transaction, if it held the writer.
  assert.ok(times.length > 5, `${times.length} writes were answered meanwhile`);
});

// The batch writes 190 MB of index entries.
test('small writes pass a batch with many index entries', { timeout: 60_000 }, async (t) => {
  const { call, url } = await serving(t);
  const keys = Object.fromEntries(INDEXES.map((name) => [name, S(name)]));
  const batch = {
    RequestItems: {
      [TableName]: Array.from({ length: 25 }, (_, n) => ({
        PutRequest: {
          Item: { pk: S('batch'), sk: S(`${n}`), ...keys, text: S('x'.repeat(380_000)) },
        },
      })),
    },
  };
  const { answer, ms, longest } = await beside(
    () => sent(t, url, 'BatchWriteItem', batch),
    () => call('PutItem', light),
  );
  assert.equal(answer.status, 200);
  assert.ok(longest < ms / 2, `one write took ${longest} ms, the batch ${ms} ms`);
});

test('reads pass pages with long filters', { timeout: 60_000 }, async (t) => {
  const { call, url } = await serving(t);
  await call('PutItem', light);
  for (let first = 0; first < 1800; first += 25) {
    const requests = Array.from({ length: 25 }, (_, n) => ({
      PutRequest: { Item: { pk: S('page'), sk: S(`${first + n}`), text: S('x'.repeat(500)) } },
    }));
    await call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
  }
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :p',
    FilterExpression: Array(40).fill('contains(#t, :y)').join(' OR '),
    ExpressionAttributeNames: { '#t': 'text' },
    ExpressionAttributeValues: { ':p': S('page'), ':y': S('xxxxxxxy') },
  };
  const heavy = async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => sent(t, url, 'Query', query)),
    );
    return answers[0];
  };
  const { answer, times } = await beside(heavy, () =>
    call('GetItem', { TableName, Key: light.Item }),
  );
  assert.equal(JSON.parse(answer.text).Count, 0);
  // Each thread would be taken by half of the queries, if they held it.
  assert.ok(times.length > 20, `${times.length} reads were answered meanwhile`);
});

// Each update reads and writes 300 KB, so all of them together are 30 MB.
test('small writes pass updates of large items', { timeout: 60_000 }, async (t) => {
  const { call, url } = await serving(t);
  const keys = Array.from({ length: 100 }, (_, n) => ({ pk: S('large'), sk: S(`${n}`) }));
  const text = S('x'.repeat(300_000));
  await Promise.all(keys.map((key) => call('PutItem', { TableName, Item: { ...key, text } })));
  const update = {
    UpdateExpression: 'ADD #c :one',
    ExpressionAttributeNames: { '#c': 'count' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  };
  const heavy = async () => {
    const answers = await Promise.all(
      keys.map((Key) => sent(t, url, 'UpdateItem', { TableName, Key, ...update })),
    );
    return answers.map(({ status }) => status);
  };
  const { answer, times } = await beside(heavy, () => call('PutItem', light));
  assert.deepEqual(new Set(answer), new Set([200]));
  // At most three would be answered before and after the updates, if those held the writer.
  assert.ok(times.length > 5, `${times.length} writes were answered meanwhile`);
});

// Scans took all threads, and everything that did not run on an I/O thread waited for seconds.
test('transactions that read pass many scans', { timeout: 60_000 }, async (t) => {
  const { call, url } = await serving(t);
  await call('PutItem', light);
  for (let first = 0; first < 400; first += 25) {
    const requests = Array.from({ length: 25 }, (_, n) => ({
      PutRequest: { Item: { pk: S(`${first + n}`), sk: S('s'), text: S('x'.repeat(1000)) } },
    }));
    await call('BatchWriteItem', { RequestItems: { [TableName]: requests } });
  }
  const scan = {
    TableName,
    FilterExpression: Array(20).fill('contains(#t, :y)').join(' OR '),
    ExpressionAttributeNames: { '#t': 'text' },
    ExpressionAttributeValues: { ':y': S('xxxxxxxy') },
  };
  const heavy = async () => {
    const answers = await Promise.all(
      Array.from({ length: 32 }, () => sent(t, url, 'Scan', scan)),
    );
    return answers[0];
  };
  const Get = { TableName, Key: light.Item };
  const { answer, times } = await beside(heavy, () =>
    call('TransactGetItems', { TransactItems: [{ Get }] }),
  );
  assert.equal(JSON.parse(answer.text).Count, 0);
  // In one queue with the scans, a transaction would wait for nearly all of them.
  assert.ok(times.length > 20, `${times.length} transactions were answered meanwhile`);
});
