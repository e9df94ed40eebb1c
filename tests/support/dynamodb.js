// DynamoDB as an application sees it: the AWS SDK for JavaScript v3 with a few short names.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import * as sdk from '@aws-sdk/client-dynamodb';

import { credentials, endpoint, isAws, region } from './endpoint.js';

export function newClient(overrides = {}) {
  return new sdk.DynamoDBClient({
    endpoint,
    region,
    credentials,
    maxAttempts: isAws ? 5 : 1,
    ...overrides,
  });
}

export const client = newClient();

// Tables to remove when the test file ends.
const created = [];

after(async () => {
  const removals = created.map((TableName) => send('DeleteTable', { TableName }).catch(() => {}));
  await Promise.all(removals);
  client.destroy();
});

// Sends an operation by its name: send('GetItem', { TableName, Key }).
export function send(operation, input = {}, sender = client) {
  return sender.send(new sdk[`${operation}Command`](input));
}

const run = randomBytes(4).toString('hex');
let counter = 0;

// A name that no other test, file or run uses.
export function unique(prefix) {
  counter += 1;
  return `${prefix}-${run}-${process.pid}-${counter}`;
}

export async function untilActive(TableName) {
  for (;;) {
    const { Table } = await send('DescribeTable', { TableName });
    const indexes = Table.GlobalSecondaryIndexes ?? [];
    const busy = indexes.some((index) => index.IndexStatus !== 'ACTIVE');
    if (Table.TableStatus === 'ACTIVE' && !busy) return Table;
    await sleep(isAws ? 2000 : 5);
  }
}

// Removes a table when the test file ends.
export function removeLater(TableName) {
  created.push(TableName);
}

// Creates a table that is removed when the test file ends, and answers its name.
// keys: 'pk' or 'pk sk', each with an optional type as in 'pk:N sk:B'. more: anything else of
// CreateTable; its AttributeDefinitions are added to those of the keys.
export async function newTable(keys, more = {}) {
  const TableName = more.TableName ?? unique('table');
  const parsed = keys.split(' ').map((key) => key.split(':'));
  await send('CreateTable', {
    BillingMode: 'PAY_PER_REQUEST',
    ...more,
    TableName,
    KeySchema: parsed.map(([AttributeName], i) => ({
      AttributeName,
      KeyType: i === 0 ? 'HASH' : 'RANGE',
    })),
    AttributeDefinitions: [
      ...parsed.map(([AttributeName, type = 'S']) => ({ AttributeName, AttributeType: type })),
      ...(more.AttributeDefinitions ?? []),
    ],
  });
  created.push(TableName);
  await untilActive(TableName);
  return TableName;
}

// The key schema of an index: keySchema('a', 'b') or, for several attributes a part,
// keySchema(['a', 'b'], ['c', 'd']).
export function keySchema(hash, range = []) {
  return [
    ...[hash].flat().map((AttributeName) => ({ AttributeName, KeyType: 'HASH' })),
    ...[range].flat().map((AttributeName) => ({ AttributeName, KeyType: 'RANGE' })),
  ];
}

// attributes('a', 'b:N') defines a string and a number.
export function attributes(...names) {
  return names.map((name) => {
    const [AttributeName, AttributeType = 'S'] = name.split(':');
    return { AttributeName, AttributeType };
  });
}

export const projectAll = { ProjectionType: 'ALL' };

// Expects the call to fail with this error, its message equal to a string or matching a pattern.
export async function rejects(promise, name, message) {
  let error;
  try {
    await promise;
  } catch (caught) {
    error = caught;
  }
  assert.ok(error, `expected ${name}, but the call succeeded`);
  assert.equal(error.name, name, `${error.name}: ${error.message}`);
  if (typeof message === 'string') assert.equal(error.message, message);
  else if (message) assert.match(error.message, message);
  return error;
}

export const invalid = (promise, message) => rejects(promise, 'ValidationException', message);

// Reads every page of a Query or Scan.
export async function allPages(operation, input) {
  const items = [];
  let pages = 0;
  let ExclusiveStartKey = input.ExclusiveStartKey;
  do {
    const page = await send(operation, { ...input, ExclusiveStartKey });
    items.push(...page.Items);
    ExclusiveStartKey = page.LastEvaluatedKey;
    pages += 1;
  } while (ExclusiveStartKey);
  return { items, pages };
}

// Writes items with as few BatchWriteItem calls as their number and size allow.
export async function putAll(TableName, items) {
  for (let i = 0; i < items.length; i += 25) {
    let RequestItems = {
      [TableName]: items.slice(i, i + 25).map((Item) => ({ PutRequest: { Item } })),
    };
    while (Object.keys(RequestItems).length > 0) {
      ({ UnprocessedItems: RequestItems = {} } = await send('BatchWriteItem', { RequestItems }));
    }
  }
}

export const S = (text) => ({ S: text });
export const N = (number) => ({ N: String(number) });
export const B = (bytes) => ({ B: typeof bytes === 'string' ? Buffer.from(bytes) : bytes });
export const L = (...members) => ({ L: members });
export const M = (members) => ({ M: members });
