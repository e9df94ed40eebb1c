// PutItem: whole items in, conditions, return values, and every malformed item.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { B, invalid, L, M, N, newTable, rejects, S, send, unique } from '../support/dynamodb.js';

let TableName;
let Ranged;
let Numbered;

before(async () => {
  [TableName, Ranged, Numbered] = await Promise.all([
    newTable('pk'),
    newTable('pk sk'),
    newTable('pk:N sk:B'),
  ]);
});

const put = (Item, more = {}) => send('PutItem', { TableName, Item, ...more });
const get = async (pk) =>
  (await send('GetItem', { TableName, Key: { pk: S(pk) }, ConsistentRead: true })).Item;

// Every type, with the empty values that are allowed outside keys.
test('all types come back as they were put', async () => {
  const pk = unique('types');
  const item = {
    pk: S(pk),
    text: S('Avenida das Américas, nº 5000 – 🚜'),
    empty: S(''),
    number: N('-12.5'),
    bytes: B(Buffer.from([0, 255, 10])),
    noBytes: B(Buffer.alloc(0)),
    yes: { BOOL: true },
    no: { BOOL: false },
    nothing: { NULL: true },
    list: L(S('a'), N(1), L(), M({})),
    map: M({ deep: M({ er: L({ BOOL: true }) }), 'with space': S('x') }),
    texts: { SS: ['b', 'a'] },
    numbers: { NS: ['1', '2.5'] },
    blobs: { BS: [Buffer.from('x'), Buffer.from('yz')] },
  };
  await put(item);
  const found = await get(pk);
  found.texts.SS.sort();
  found.numbers.NS.sort();
  found.blobs.BS = found.blobs.BS.map((bytes) => Buffer.from(bytes)).sort(Buffer.compare);
  for (const name of ['bytes', 'noBytes']) found[name].B = Buffer.from(found[name].B);
  item.texts.SS.sort();
  assert.deepEqual(found, item);
});

// Put replaces; nothing of the old item stays.
test('a second put replaces the whole item', async () => {
  const pk = unique('replace');
  await put({ pk: S(pk), a: S('1'), b: S('2') });
  await put({ pk: S(pk), b: S('3') });
  assert.deepEqual(await get(pk), { pk: S(pk), b: S('3') });
});

// Keys of real documents hold '#', '/', accents and blanks.
test('keys may hold any text', async () => {
  for (const text of [
    'COMPANY#12.345.678/0001-99#ORDER#1',
    'SHIPPING#São Paulo#2023-10-03',
    '#',
    '/',
    '%2F',
    ' ',
    '\u0000',
    '日本',
    '💰',
  ]) {
    const pk = `${unique('key')}${text}`;
    await put({ pk: S(pk), v: S(text) });
    assert.deepEqual(await get(pk), { pk: S(pk), v: S(text) });
  }
});

test('a table may have a number and a binary as key', async () => {
  const Item = { pk: N('-1.5'), sk: B(Buffer.from([0, 1, 255])), v: S('x') };
  await send('PutItem', { TableName: Numbered, Item });
  const Key = { pk: N('-1.50'), sk: B(Buffer.from([0, 1, 255])) };
  const found = await send('GetItem', { TableName: Numbered, Key });
  assert.deepEqual(found.Item.v, S('x'));
});

test('NONE, the default, answers no attributes', async () => {
  const pk = unique('none');
  await put({ pk: S(pk) });
  assert.equal((await put({ pk: S(pk) })).Attributes, undefined);
  assert.equal((await put({ pk: S(pk) }, { ReturnValues: 'NONE' })).Attributes, undefined);
});

test('ALL_OLD answers the replaced item, and nothing when there was none', async () => {
  const pk = unique('old');
  const first = await put({ pk: S(pk), v: N(1) }, { ReturnValues: 'ALL_OLD' });
  assert.equal(first.Attributes, undefined);
  const second = await put({ pk: S(pk), v: N(2) }, { ReturnValues: 'ALL_OLD' });
  assert.deepEqual(second.Attributes, { pk: S(pk), v: N(1) });
});

// The other values are of the enumeration, but only for UpdateItem.
test('return values of UpdateItem are refused', async () => {
  for (const ReturnValues of ['ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']) {
    await invalid(
      put({ pk: S('x') }, { ReturnValues }),
      /^(ReturnValues can only be ALL_OLD or NONE|Return values set to invalid value)$/,
    );
  }
});

test('a condition that holds lets the put through, one that does not stops it', async () => {
  const pk = unique('condition');
  const onlyNew = { ConditionExpression: 'attribute_not_exists(pk)' };
  await put({ pk: S(pk), v: N(1) }, onlyNew);
  const error = await rejects(
    put({ pk: S(pk), v: N(2) }, onlyNew),
    'ConditionalCheckFailedException',
    'The conditional request failed',
  );
  assert.equal(error.Item, undefined);
  assert.deepEqual(await get(pk), { pk: S(pk), v: N(1) });
});

// Saves the reader a second call after a lost race.
test('a failed condition can carry the item', async () => {
  const pk = unique('carry');
  await put({ pk: S(pk), v: N(1) });
  const more = {
    ConditionExpression: 'v = :v',
    ExpressionAttributeValues: { ':v': N(2) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const error = await rejects(put({ pk: S(pk) }, more), 'ConditionalCheckFailedException');
  assert.deepEqual(error.Item, { pk: S(pk), v: N(1) });
  const missing = await rejects(
    put({ pk: S(unique('missing')) }, more),
    'ConditionalCheckFailedException',
  );
  assert.equal(missing.Item, undefined);
});

// Of many conditional creators exactly one may win.
test('twenty creators of one item: one wins', async () => {
  const pk = unique('race');
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      put({ pk: S(pk), winner: N(i) }, { ConditionExpression: 'attribute_not_exists(pk)' }),
    ),
  );
  const won = results.map((result) => result.status).indexOf('fulfilled');
  assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  assert.deepEqual((await get(pk)).winner, N(won));
});

const nested = (levels) => {
  let value = L();
  for (let i = 1; i < levels; i += 1) value = i % 2 ? M({ a: value }) : L(value);
  return value;
};

// Documents nest to 32 levels. Whether the item itself is the first of them is told differently
// by different people, so the test stays one away from the edge.
test('31 levels are stored, 33 are refused', async () => {
  const pk = unique('nest');
  await put({ pk: S(pk), deep: nested(31) });
  assert.deepEqual((await get(pk)).deep, nested(31));
  await invalid(put({ pk: S(pk), deep: nested(33) }), /[Nn]esting/);
});

// An update could otherwise build, step by step, what a put refuses.
test('an update cannot nest deeper than a put', async () => {
  const pk = unique('nest');
  await put({ pk: S(pk), a: M({ b: M({}) }) });
  const update = (levels) =>
    send('UpdateItem', {
      TableName,
      Key: { pk: S(pk) },
      UpdateExpression: 'SET a.b.c = :v',
      ExpressionAttributeValues: { ':v': nested(levels) },
    });
  await update(29);
  await invalid(update(31), /[Nn]esting/);
  assert.deepEqual((await get(pk)).a, M({ b: M({ c: nested(29) }) }));
});

// The size of an item is counted in bytes of names and values; the limit is exact.
test('409,600 bytes are stored, one more is refused', async () => {
  const pk = unique('size').padEnd(40, '.');
  const rest = 409_600 - 2 - 40 - 1;
  await put({ pk: S(pk), v: S('x'.repeat(rest)) });
  assert.equal((await get(pk)).v.S.length, rest);
  await invalid(
    put({ pk: S(pk), v: S('x'.repeat(rest + 1)) }),
    'Item size has exceeded the maximum allowed size',
  );
});

// Characters outside ASCII take as many bytes as UTF-8 gives them.
test('sizes are counted in UTF-8', async () => {
  const pk = unique('utf8').padEnd(40, '.');
  const rest = 409_600 - 2 - 40 - 1;
  await put({ pk: S(pk), v: S('ã'.repeat(rest >> 1)) });
  await invalid(put({ pk: S(pk), v: S('ã'.repeat((rest >> 1) + 1)) }), /Item size has exceeded/);
});

// Limits of keys, to the byte.
test('keys of 2,048 and 1,024 bytes are stored, longer ones refused', async () => {
  const putRanged = (pk, sk) =>
    send('PutItem', { TableName: Ranged, Item: { pk: S(pk), sk: S(sk) } });
  await putRanged('p'.repeat(2048), 's'.repeat(1024));
  await invalid(putRanged('p'.repeat(2049), 's'), /2048/);
  await invalid(putRanged('p', 's'.repeat(1025)), /1024/);
});

const PARAMETERS = 'One or more parameter values were invalid: ';
const EMPTY_KEY =
  'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk';

// Each row: what is wrong with the item, the item, the message.
const refusals = [
  // Keys must be there and of their type.
  ['without its key', { a: S('x') }, `${PARAMETERS}Missing the key pk in the item`],
  [
    'with a key of another type',
    { pk: N(1) },
    `${PARAMETERS}Type mismatch for key pk expected: S actual: N`,
  ],
  ['with an empty key', { pk: S('') }, EMPTY_KEY],
  [
    'with a key of NULL',
    { pk: { NULL: true } },
    `${PARAMETERS}Type mismatch for key pk expected: S actual: NULL`,
  ],

  // A value has exactly one type.
  [
    'with a value without type',
    { pk: S('x'), a: {} },
    'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
  ],
  [
    'with a NULL that is false',
    { pk: S('x'), a: { NULL: false } },
    `${PARAMETERS}Null attribute value types must have the value of true`,
  ],

  // Sets are neither empty nor do they repeat a member, at any depth.
  [
    'with an empty string set',
    { pk: S('x'), a: { SS: [] } },
    `${PARAMETERS}An string set  may not be empty`,
  ],
  [
    'with an empty number set',
    { pk: S('x'), a: { NS: [] } },
    `${PARAMETERS}An number set  may not be empty`,
  ],
  [
    'with an empty binary set',
    { pk: S('x'), a: { BS: [] } },
    `${PARAMETERS}Binary sets should not be empty`,
  ],
  [
    'with a member twice',
    { pk: S('x'), a: { SS: ['a', 'a'] } },
    `${PARAMETERS}Input collection [a, a] contains duplicates.`,
  ],
  [
    'with a binary member twice',
    { pk: S('x'), a: { BS: [Buffer.from([1]), Buffer.from([1])] } },
    `${PARAMETERS}Input collection [AQ==, AQ==]of type BS contains duplicates.`,
  ],
  [
    'with one number in two spellings',
    { pk: S('x'), a: { NS: ['1', '1.0'] } },
    'Input collection contains duplicates',
  ],
  [
    'with a bad set in a list in a map',
    { pk: S('x'), a: M({ b: L({ SS: [] }) }) },
    `${PARAMETERS}An string set  may not be empty`,
  ],

  // Numbers.
  [
    'with a number that is none',
    { pk: S('x'), a: N('abc') },
    'The parameter cannot be converted to a numeric value: abc',
  ],
  [
    'with an empty number',
    { pk: S('x'), a: N('') },
    'The parameter cannot be converted to a numeric value',
  ],
  [
    'with 39 digits',
    { pk: S('x'), a: N('1'.repeat(39)) },
    'Attempting to store more than 38 significant digits in a Number',
  ],
  [
    'with a number too large',
    { pk: S('x'), a: N('1E126') },
    'Number overflow. Attempting to store a number with magnitude larger than supported range',
  ],
  [
    'with a number too small',
    { pk: S('x'), a: N('1E-131') },
    'Number underflow. Attempting to store a number with magnitude smaller than supported range',
  ],
  [
    'with a bad number in a set',
    { pk: S('x'), a: { NS: ['x'] } },
    'The parameter cannot be converted to a numeric value: x',
  ],
];

for (const [what, item, message] of refusals) {
  test(`an item ${what} is refused`, () => invalid(put(item), message));
}

// Empty binary keys have a message of their own.
test('an empty binary key is refused', async () => {
  const Item = { pk: N(1), sk: B(Buffer.alloc(0)) };
  await invalid(
    send('PutItem', { TableName: Numbered, Item }),
    /cannot contain an empty binary value. Key: sk/,
  );
});

const ONE = '1 validation error detected: ';

// Each row: what is wrong with the request, its parameters, the message.
const badRequests = [
  [
    'no table name',
    { TableName: undefined },
    `${ONE}Value null at 'tableName' failed to satisfy constraint: Member must not be null`,
  ],
  [
    'an empty table name',
    { TableName: '' },
    /'tableName' failed to satisfy constraint: Member must have length greater than or equal to 1/,
  ],
  [
    'unknown return values',
    { ReturnValues: 'ALL' },
    `${ONE}Value 'ALL' at 'returnValues' failed to satisfy constraint: Member must satisfy enum value set: [ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]`,
  ],
  [
    'unknown capacity detail',
    { ReturnConsumedCapacity: 'SOME' },
    `${ONE}Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]`,
  ],
  [
    'unknown collection metrics',
    { ReturnItemCollectionMetrics: 'ALL' },
    `${ONE}Value 'ALL' at 'returnItemCollectionMetrics' failed to satisfy constraint: Member must satisfy enum value set: [SIZE, NONE]`,
  ],
  [
    'names without an expression',
    { ExpressionAttributeNames: { '#a': 'a' } },
    /ExpressionAttributeNames can only be specified when using expressions/,
  ],
  [
    'values without an expression',
    { ExpressionAttributeValues: { ':a': S('a') } },
    'ExpressionAttributeValues can only be specified when using expressions: ConditionExpression is null',
  ],
  [
    'an empty condition',
    { ConditionExpression: '' },
    'Invalid ConditionExpression: The expression can not be empty;',
  ],
  [
    'empty names',
    { ConditionExpression: 'attribute_exists(a)', ExpressionAttributeNames: {} },
    'ExpressionAttributeNames must not be empty',
  ],
  [
    'empty values',
    { ConditionExpression: 'attribute_exists(a)', ExpressionAttributeValues: {} },
    'ExpressionAttributeValues must not be empty',
  ],
  [
    'an unused name',
    { ConditionExpression: 'attribute_exists(a)', ExpressionAttributeNames: { '#unused': 'b' } },
    'Value provided in ExpressionAttributeNames unused in expressions: keys: {#unused}',
  ],
  [
    'an unused value',
    {
      ConditionExpression: 'attribute_exists(a)',
      ExpressionAttributeValues: { ':unused': S('b') },
    },
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}',
  ],
  [
    'a name without #',
    { ConditionExpression: 'attribute_exists(a)', ExpressionAttributeNames: { n: 'b' } },
    'ExpressionAttributeNames contains invalid key: Syntax error; key: "n"',
  ],
  [
    'a value without :',
    { ConditionExpression: 'attribute_exists(a)', ExpressionAttributeValues: { v: S('b') } },
    'ExpressionAttributeValues contains invalid key: Syntax error; key: "v"',
  ],
  [
    'a condition beside Expected',
    { ConditionExpression: 'attribute_exists(a)', Expected: { a: { Exists: false } } },
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {Expected} Expression parameters: {ConditionExpression}',
  ],
];

for (const [what, more, message] of badRequests) {
  test(`PutItem refuses ${what}`, () => invalid(put({ pk: S('x') }, more), message));
}

test('a put to a missing table is refused without its name', async () => {
  await rejects(
    put({ pk: S('x') }, { TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

// What the request is missing comes before whether the table is there.
test('validation comes before the look for the table', async () => {
  await invalid(put({ pk: S('x'), a: { SS: [] } }, { TableName: 'no-such-table' }));
});
