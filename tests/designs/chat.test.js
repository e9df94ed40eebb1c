// Multi-tenant chat for rural credit: two existing tables and one single table.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import {
  attributes,
  keySchema,
  L,
  M,
  N,
  newTable,
  projectAll,
  putAll,
  rejects,
  S,
  send,
} from '../support/dynamodb.js';

const texts = (map) =>
  Object.fromEntries(Object.entries(map).map(([name, text]) => [name, S(text)]));

const tenant = {
  ...texts({
    PK: 'TENANT#t1',
    SK: 'METADATA#1',
    id: 't1',
    name: 'Cooperativa Ágil',
    status: 'ACTIVE',
  }),
  settings: M({ plan: S('pro') }),
};
const users = [
  texts({
    PK: 'TENANT#t1',
    SK: 'USER#u1',
    GSI1PK: 'USER#u1',
    GSI1SK: 'TENANT#t1',
    tenantId: 't1',
    cognitoId: 'u1',
    email: 'ana@example.com',
    role: 'ADMIN',
  }),
  texts({
    PK: 'TENANT#t1',
    SK: 'USER#u2',
    GSI1PK: 'USER#u2',
    GSI1SK: 'TENANT#t1',
    tenantId: 't1',
    cognitoId: 'u2',
    email: 'rui@example.com',
    role: 'USER',
  }),
  texts({
    PK: 'TENANT#t2',
    SK: 'USER#u1',
    GSI1PK: 'USER#u1',
    GSI1SK: 'TENANT#t2',
    tenantId: 't2',
    cognitoId: 'u1',
    email: 'ana@example.com',
    role: 'USER',
  }),
];
const conversation = (id, at) =>
  texts({
    PK: 'TENANT#t1',
    SK: `CONVERSATION#${id}`,
    GSI1PK: 'USER#u1',
    GSI1SK: `CONVERSATION#${at}`,
    GSI2PK: 'TENANT#t1#CONVERSATION',
    GSI2SK: at,
    id,
    tenantId: 't1',
    userId: 'u1',
    title: 'Custeio da safra',
    status: 'ACTIVE',
    lastMessageAt: at,
  });
const conversations = [
  conversation('c1', '2026-03-02T10:00:00.000Z'),
  conversation('c2', '2026-03-01T10:00:00.000Z'),
];
const message = (at, role, content) => ({
  ...texts({
    PK: 'CONVERSATION#c1',
    SK: `MESSAGE#${at}`,
    GSI1PK: 'TENANT#t1',
    GSI1SK: `CONVERSATION#c1#${at}`,
    id: `m-${at}`,
    tenantId: 't1',
    conversationId: 'c1',
    role,
    content,
    createdAt: at,
  }),
  attachments: L(),
});
const messages = [
  message('2026-03-02T10:00:01.000Z', 'USER', 'Qual é a taxa do Pronaf?'),
  message('2026-03-02T10:00:02.000Z', 'ASSISTANT', 'Depende da linha de crédito…'),
];
const file = {
  ...texts({
    PK: 'TENANT#t1',
    SK: 'FILE#f1',
    GSI1PK: 'CONVERSATION#c1',
    GSI1SK: 'FILE#2026-03-02T10:00:03.000Z',
    GSI2PK: 'USER#u1',
    GSI2SK: 'FILE#2026-03-02T10:00:03.000Z',
    id: 'f1',
    tenantId: 't1',
    conversationId: 'c1',
    userId: 'u1',
    name: 'matrícula do imóvel.pdf',
    type: 'application/pdf',
    s3Key: 't1/f1',
    status: 'PROCESSING',
  }),
  size: N(1048576),
};
const document = {
  ...texts({
    PK: 'TENANT#t1',
    SK: 'DOCUMENT#d1',
    GSI1PK: 'CONVERSATION#c1',
    GSI1SK: 'DOCUMENT#2026-03-02T10:00:04.000Z',
    GSI2PK: 'USER#u1',
    GSI2SK: 'DOCUMENT#2026-03-02T10:00:04.000Z',
    id: 'd1',
    tenantId: 't1',
    conversationId: 'c1',
    userId: 'u1',
    type: 'SIMULATION',
    title: 'Simulação',
    s3Key: 't1/d1',
  }),
  metadata: M({ rate: N('4.5') }),
};

let Tenants;
let Users;
let RuralCreditAI;

const index = (name) => ({
  IndexName: name,
  KeySchema: keySchema(`${name}PK`, `${name}SK`),
  Projection: projectAll,
});

before(async () => {
  [Tenants, Users, RuralCreditAI] = await Promise.all([
    newTable('PK SK'),
    newTable('PK SK', {
      AttributeDefinitions: attributes('GSI1PK', 'GSI1SK'),
      GlobalSecondaryIndexes: [index('GSI1')],
    }),
    newTable('PK SK', {
      AttributeDefinitions: attributes('GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK'),
      GlobalSecondaryIndexes: [index('GSI1'), index('GSI2')],
    }),
  ]);
  await putAll(Tenants, [tenant]);
  await putAll(Users, users);
  await putAll(RuralCreditAI, [...conversations, ...messages, file, document]);
});

const query = async (TableName, KeyConditionExpression, values, more = {}) =>
  (
    await send('Query', {
      TableName,
      KeyConditionExpression,
      ExpressionAttributeValues: texts(values),
      ...more,
    })
  ).Items;
const starting = (IndexName, pk, sk, more) => {
  const [hash, range] = IndexName ? [`${IndexName}PK`, `${IndexName}SK`] : ['PK', 'SK'];
  return query(
    RuralCreditAI,
    `${hash} = :pk AND begins_with(${range}, :sk)`,
    { ':pk': pk, ':sk': sk },
    { IndexName, ...more },
  );
};
const get = async (TableName, PK, SK) =>
  (await send('GetItem', { TableName, Key: texts({ PK, SK }) })).Item;

test('CHT-Q1 authentication: a user in a tenant, and all tenants of a user', async () => {
  assert.deepEqual(await get(Users, 'TENANT#t1', 'USER#u1'), users[0]);
  assert.deepEqual(
    await query(Users, 'GSI1PK = :pk', { ':pk': 'USER#u1' }, { IndexName: 'GSI1' }),
    [users[0], users[2]],
  );
});

test('CHT-Q2 conversations of a user, newest first', async () => {
  assert.deepEqual(
    await starting('GSI1', 'USER#u1', 'CONVERSATION#', { ScanIndexForward: false }),
    conversations,
  );
});

// The document promises one query; the keys need two calls, which can run side by side.
test('CHT-Q3 a conversation and its messages', async () => {
  const [header, lines] = await Promise.all([
    get(RuralCreditAI, 'TENANT#t1', 'CONVERSATION#c1'),
    starting(undefined, 'CONVERSATION#c1', 'MESSAGE#'),
  ]);
  assert.deepEqual(header, conversations[0]);
  assert.deepEqual(lines, messages);
});

test('CHT-Q4 messages of a conversation, the last ones first, in pages', async () => {
  const [last] = await starting(undefined, 'CONVERSATION#c1', 'MESSAGE#', {
    ScanIndexForward: false,
    Limit: 1,
  });
  assert.deepEqual(last, messages[1]);
});

test('CHT-Q5 files of a conversation', async () =>
  assert.deepEqual(await starting('GSI1', 'CONVERSATION#c1', 'FILE#'), [file]));
test('CHT-Q6 documents of a conversation', async () =>
  assert.deepEqual(await starting('GSI1', 'CONVERSATION#c1', 'DOCUMENT#'), [document]));
test('CHT-Q7 documents of a user', async () =>
  assert.deepEqual(await starting('GSI2', 'USER#u1', 'DOCUMENT#'), [document]));
test('CHT-Q8 files of a user', async () =>
  assert.deepEqual(await starting('GSI2', 'USER#u1', 'FILE#'), [file]));

test('CHT-Q9 conversations of a tenant by time', async () => {
  const items = await query(
    RuralCreditAI,
    'GSI2PK = :pk',
    { ':pk': 'TENANT#t1#CONVERSATION' },
    { IndexName: 'GSI2' },
  );
  assert.deepEqual(items, [conversations[1], conversations[0]]);
});

test('CHT-Q10 conversations, files and documents of a tenant by id', async () => {
  assert.deepEqual(await starting(undefined, 'TENANT#t1', 'CONVERSATION#'), conversations);
  assert.deepEqual(await starting(undefined, 'TENANT#t1', 'FILE#'), [file]);
  assert.deepEqual(await starting(undefined, 'TENANT#t1', 'DOCUMENT#'), [document]);
});

test('CHT-Q11 users of a tenant, and the tenant', async () => {
  const items = await query(Users, 'PK = :pk AND begins_with(SK, :sk)', {
    ':pk': 'TENANT#t1',
    ':sk': 'USER#',
  });
  assert.deepEqual(items, users.slice(0, 2));
  assert.deepEqual(await get(Tenants, 'TENANT#t1', 'METADATA#1'), tenant);
});

test('CHT-Q12 messages of a tenant, for audit', async () => {
  assert.deepEqual(await starting('GSI1', 'TENANT#t1', 'CONVERSATION#c1#'), messages);
});

test('CHT-W1 a message is posted together with the conversation it belongs to', async () => {
  const at = '2026-03-05T10:00:00.000Z';
  const Key = texts({ PK: 'TENANT#t9', SK: 'CONVERSATION#c9' });
  await send('PutItem', {
    TableName: RuralCreditAI,
    Item: {
      ...conversation('c9', '2026-03-04T10:00:00.000Z'),
      ...Key,
      GSI1PK: S('USER#u9'),
      GSI2PK: S('TENANT#t9#CONVERSATION'),
    },
  });
  const posting = () =>
    send('TransactWriteItems', {
      TransactItems: [
        {
          Put: {
            TableName: RuralCreditAI,
            Item: {
              ...message(at, 'USER', 'Olá'),
              PK: S('CONVERSATION#c9'),
              GSI1PK: S('TENANT#t9'),
            },
            ConditionExpression: 'attribute_not_exists(PK)',
          },
        },
        {
          Update: {
            TableName: RuralCreditAI,
            Key,
            UpdateExpression: 'SET lastMessageAt = :at, updatedAt = :at, GSI1SK = :sk',
            ConditionExpression: 'attribute_exists(PK)',
            ExpressionAttributeValues: texts({ ':at': at, ':sk': `CONVERSATION#${at}` }),
          },
        },
      ],
    });
  await posting();
  assert.deepEqual((await get(RuralCreditAI, 'TENANT#t9', 'CONVERSATION#c9')).lastMessageAt, S(at));
  // A second message of the same instant has the same key and must not replace the first.
  const error = await rejects(posting(), 'TransactionCanceledException');
  assert.deepEqual(
    error.CancellationReasons.map((reason) => reason.Code),
    ['ConditionalCheckFailed', 'None'],
  );
});

test('CHT-W2 a file becomes READY once, with its analysis', async () => {
  const Key = texts({ PK: 'TENANT#t9', SK: 'FILE#f9' });
  await send('PutItem', {
    TableName: RuralCreditAI,
    Item: { ...file, ...Key, GSI2PK: S('USER#u9'), GSI1PK: S('CONVERSATION#c9') },
  });
  const finish = () =>
    send('UpdateItem', {
      TableName: RuralCreditAI,
      Key,
      UpdateExpression: 'SET #s = :ready, analysis = :a',
      ConditionExpression: '#s = :processing',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: {
        ':ready': S('READY'),
        ':processing': S('PROCESSING'),
        ':a': M({ pages: N(3), risks: L(S('baixo')) }),
      },
      ReturnValues: 'ALL_NEW',
    });
  const { Attributes } = await finish();
  assert.deepEqual(Attributes.analysis, M({ pages: N(3), risks: L(S('baixo')) }));
  await rejects(finish(), 'ConditionalCheckFailedException');
});

test('CHT-O2 tables are read side by side, in one batch', async () => {
  const { Responses } = await send('BatchGetItem', {
    RequestItems: {
      [Tenants]: { Keys: [texts({ PK: 'TENANT#t1', SK: 'METADATA#1' })] },
      [Users]: { Keys: [texts({ PK: 'TENANT#t1', SK: 'USER#u1' })] },
      [RuralCreditAI]: { Keys: [texts({ PK: 'TENANT#t1', SK: 'CONVERSATION#c1' })] },
    },
  });
  assert.deepEqual(Responses, {
    [Tenants]: [tenant],
    [Users]: [users[0]],
    [RuralCreditAI]: [conversations[0]],
  });
});
