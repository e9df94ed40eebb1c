// What a server takes that the service is said to refuse, and how to have it refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { attributes, keySchema, newClient, S, send } from '../support/dynamodb.js';
import { startServer } from '../support/server.js';

async function queryWithEmptyPrefix(t, ...args) {
  const server = await startServer({ inMemory: true, args });
  t.after(() => server.stop());
  const client = newClient({ endpoint: server.endpoint });
  t.after(() => client.destroy());
  const TableName = 'prefixes';
  await send(
    'CreateTable',
    {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes('PK', 'SK'),
      KeySchema: keySchema('PK', 'SK'),
    },
    client,
  );
  await send('PutItem', { TableName, Item: { PK: S('a'), SK: S('b') } }, client);
  return send(
    'Query',
    {
      TableName,
      KeyConditionExpression: 'PK = :p AND begins_with(SK, :empty)',
      ExpressionAttributeValues: { ':p': S('a'), ':empty': S('') },
    },
    client,
  );
}

test('an empty prefix finds everything', async (t) => {
  assert.equal((await queryWithEmptyPrefix(t)).Count, 1);
});

test('an empty prefix is refused when the server is strict', async (t) => {
  await assert.rejects(queryWithEmptyPrefix(t, '--strict'), { name: 'ValidationException' });
});
