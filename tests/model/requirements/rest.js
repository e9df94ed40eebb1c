// A served design as its users see it: through REST, and through DynamoDB's own API beside it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

import * as sdk from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

import { startServer } from '../../support/server.js';
import { modelPath } from '../designs.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

// What is started while the tests run ends with the file. A hook that is added within another one
// would belong to that.
const endings = [];
after(async () => {
  for (const end of endings.reverse()) await end();
});

// Starts a server of one design with its samples, in memory. It stops when the test file ends. The
// samples of the trading design have expired, and are to stay.
export async function serve(design, { args = [], env } = {}) {
  const server = await startServer({
    inMemory: true,
    args: ['--model', modelPath(design), '--samples', '--ttl-delay', '3650d', ...args],
    env,
  });
  endings.push(() => server.stop());
  return server;
}

// The verbs of REST: rest(server).get('/sales/SALE001') answers { status, headers, body }, the body
// as parsed JSON, or undefined if there is none. A prefix (/api/v1/sales) and headers go with every
// request; each verb takes more headers as its last argument.
export function rest(server, { prefix = '', headers: usual = {} } = {}) {
  async function call(method, path, body, more = {}) {
    const headers = { ...usual, ...more };
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const answer = await fetch(`${server.endpoint}${prefix}${path}`, {
      method,
      headers,
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text,
      body: text === '' ? undefined : parsed(text),
    };
  }

  // Expects success and answers the body.
  async function done(promise, ...statuses) {
    const answer = await promise;
    const expected = statuses.length > 0 ? statuses : [200, 201, 204];
    assert.ok(expected.includes(answer.status), `${answer.status}: ${answer.text}`);
    return answer.body;
  }

  return {
    get: (path, headers) => call('GET', path, undefined, headers),
    head: (path, headers) => call('HEAD', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    del: (path, headers) => call('DELETE', path, undefined, headers),
    done,
    // The body of something that is there.
    item: (path, headers) => done(call('GET', path, undefined, headers), 200),
    // The items of a list that fits into one page.
    async list(path, headers) {
      const body = await done(call('GET', path, undefined, headers), 200);
      assert.deepEqual(Object.keys(body), ['items', 'next', 'meta']);
      assert.equal(body.next, null, 'the list has more pages');
      assert.equal(body.meta.count, body.items.length);
      return body.items;
    },
    // The items of all pages of a list, one by one unless a limit is given.
    async pages(path, limit = 1, headers = {}) {
      const items = [];
      const limited = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
      let next = null;
      do {
        const after = next === null ? '' : `&after=${encodeURIComponent(next)}`;
        const body = await done(call('GET', limited + after, undefined, headers), 200);
        assert.ok(body.items.length <= limit);
        items.push(...body.items);
        assert.ok(items.length <= 10_000, 'the list does not end');
        next = body.next;
      } while (next !== null);
      return items;
    },
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Expects a problem (RFC 9457) with this status and code, and answers its body.
export async function problem(promise, status, code) {
  const { status: actual, headers, body, text } = await promise;
  assert.equal(actual, status, text);
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(body.status, status);
  assert.equal(body.code, code, text);
  assert.ok(body.detail, 'a problem says what is wrong');
  return body;
}

// Expects a field to be refused: 400 invalid, and among the errors this path with this code.
export async function invalidField(promise, path, code) {
  const body = await problem(promise, 400, 'invalid');
  const error = body.errors?.find((each) => each.path === path);
  assert.ok(error, `no error about ${path}: ${JSON.stringify(body)}`);
  assert.equal(error.code, code);
  return body;
}

export const S = (text) => ({ S: text });
export const N = (number) => ({ N: String(number) });
export const texts = (map) =>
  Object.fromEntries(Object.entries(map).map(([name, text]) => [name, S(text)]));

// One table of the server through the AWS SDK. Items are in DynamoDB's JSON.
export function raw(server, TableName) {
  const client = new sdk.DynamoDBClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  endings.push(() => client.destroy());
  const send = (operation, input) =>
    client.send(new sdk[`${operation}Command`]({ TableName, ...input }));

  async function allPages(operation, input) {
    const items = [];
    let ExclusiveStartKey;
    do {
      const page = await send(operation, { ...input, ExclusiveStartKey });
      items.push(...page.Items);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return items;
  }

  return {
    send,
    // The item with these key texts, or undefined.
    get: async (PK, SK) => (await send('GetItem', { Key: texts({ PK, SK }) })).Item,
    put: (Item) => send('PutItem', { Item }),
    // query('PK = :a AND begins_with(SK, :b)', 'SALE#1', 'LINE#'), or with { IndexName, … } as the
    // last argument. Values are texts for :a, :b, :c in order. Answers the items of all pages.
    query(KeyConditionExpression, ...values) {
      const more = typeof values.at(-1) === 'object' ? values.pop() : {};
      const named = values.map((text, i) => [`:${'abcdef'[i]}`, S(text)]);
      return allPages('Query', {
        KeyConditionExpression,
        ExpressionAttributeValues: Object.fromEntries(named),
        ...more,
      });
    },
    scan: (more = {}) => allPages('Scan', more),
    // Every item in an index, whatever its partition.
    inIndex: (IndexName) => allPages('Scan', { IndexName }),
    describe: async () => (await send('DescribeTable', {})).Table,
    // Runs something that must leave the table as it is. Counters of ids may have holes.
    async unchanged(action) {
      const before = await contents();
      const result = await action();
      assert.deepEqual(await contents(), before);
      return result;
    },
  };

  async function contents() {
    const items = await allPages('Scan', { ConsistentRead: true });
    const lasting = items.filter((item) => !item.PK.S.startsWith('MONOTABLE#COUNTER#'));
    return Object.fromEntries(lasting.map((item) => [`${item.PK.S}|${item.SK.S}`, item]));
  }
}

// The samples of a design, as they are stored: DynamoDB keeps no trailing zeros of a number.
export function samples(design) {
  const text = readFileSync(resolve(root, 'models/samples', `${design}.json`), 'utf8');
  return JSON.parse(text).map(({ item }) => stored(item));
}

function stored(value) {
  if (Array.isArray(value)) return value.map(stored);
  if (typeof value !== 'object') return value;
  if (typeof value.N === 'string' && Object.keys(value).length === 1) return N(Number(value.N));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, stored(each)]));
}

// What REST shows of an item: its attributes without keys, type and version, those of an envelope
// beside the others. Instants that are stored as ISO 8601 look the same.
export function shown(item, { type, envelope } = {}) {
  const plain = unmarshall(item);
  const own = Object.entries(plain).filter(
    ([name]) => !/^(PK|SK|_v|GSI\d.*)$/.test(name) && name !== type && name !== envelope,
  );
  return { ...Object.fromEntries(own), ...plain[envelope] };
}

// The key schema and projection of an index, as DescribeTable says them.
export async function describeIndex(table, name) {
  const { GlobalSecondaryIndexes, AttributeDefinitions } = await table.describe();
  const index = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === name);
  const types = Object.fromEntries(
    AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  return {
    keys: index.KeySchema.map(({ AttributeName }) => `${AttributeName} ${types[AttributeName]}`),
    projection: index.Projection.ProjectionType,
    status: index.IndexStatus,
  };
}

// The states to pass through from one to another by legal transitions.
function wayTo(transitions, from, to) {
  const ways = [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    if (way.at(-1) === to) return way.slice(1);
    for (const next of transitions[way.at(-1)]) {
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  throw new Error(`${to} cannot be reached from ${from}`);
}

// Tries every pair of states of a table { STATE: [states that may follow] }. `create` makes a new
// item in the initial state and answers what names it; `change(item, state)` answers the response
// of the request for it; `check(item, state)` looks whether the item is in that state everywhere.
export async function tryTransitions({ transitions, initial, create, change, check, table }) {
  const states = Object.keys(transitions);
  for (const from of states) {
    for (const to of states.filter((state) => state !== from)) {
      const item = await create();
      for (const step of wayTo(transitions, initial, from)) {
        const { status, text } = await change(item, step);
        assert.equal(status, 200, text);
      }
      if (transitions[from].includes(to)) {
        const { status, text } = await change(item, to);
        assert.equal(status, 200, `${from} to ${to}: ${text}`);
        await check(item, to);
        continue;
      }
      const refused = await table.unchanged(() =>
        problem(change(item, to), 409, 'illegal_transition'),
      );
      assert.equal(refused.from, from);
      assert.deepEqual([...refused.allowed].sort(), [...transitions[from]].sort());
      await check(item, from);
    }
  }
}
