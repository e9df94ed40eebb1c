// GetItem and ProjectionExpression.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, L, M, N, newTable, rejects, S, send, unique } from '../support/dynamodb.js';

const Key = { pk: S('CUSTOMER#123.456.789-00'), sk: S('ORDER#1') };
const item = {
  ...Key,
  name: S('Mariana'),
  data: S('reserved'),
  'GSI2-PK': S('hyphen'),
  address: M({ city: S('Rio de Janeiro'), zip: S('22640-102'), 'a.b': S('dot') }),
  steps: L(N(0), N(1), M({ x: N(2), y: N(3) }), L(N(4), N(5))),
};
let TableName;
let Hash;

before(async () => {
  [TableName, Hash] = await Promise.all([newTable('pk sk'), newTable('pk')]);
  await send('PutItem', { TableName, Item: item });
});

const get = (more = {}) => send('GetItem', { TableName, Key, ...more });

test('an item is read with either consistency', async () => {
  assert.deepEqual((await get()).Item, item);
  assert.deepEqual((await get({ ConsistentRead: true })).Item, item);
});

// Absence is an answer without Item, not an error.
test('a missing item is no Item', async () => {
  const answer = await get({ Key: { pk: S(unique('none')), sk: S('x') } });
  assert.equal(answer.Item, undefined);
});

test('a missing table is refused', async () => {
  await rejects(
    get({ TableName: 'no-such-table' }),
    'ResourceNotFoundException',
    'Requested resource not found',
  );
});

const MISMATCH = 'The provided key element does not match the schema';

// A key has all the key attributes, of their types, and no more.
test('keys that do not fit the schema are refused', async () => {
  await invalid(get({ Key: { pk: Key.pk } }), MISMATCH);
  await invalid(get({ Key: { ...Key, extra: S('x') } }), MISMATCH);
  await invalid(get({ Key: { pk: Key.pk, sk: N(1) } }), MISMATCH);
  await invalid(get({ Key: { pk: Key.pk, other: S('x') } }), MISMATCH);
  await invalid(get({ Key: {} }), MISMATCH);
  await invalid(send('GetItem', { TableName: Hash, Key }), MISMATCH);
});

test('an empty key value is refused', async () => {
  await invalid(
    get({ Key: { pk: S(''), sk: S('x') } }),
    'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
  );
});

// Each row: the projection, its names, and what comes back.
const projections = [
  ['name of one attribute', '#n', { '#n': 'name' }, { name: item.name }],
  ['several attributes', 'pk, sk, address', undefined, { ...Key, address: item.address }],
  // What is not there is left out, even if that is everything.
  ['an attribute that is not there', 'absent', undefined, {}],
  ['a member of a map', 'address.city', undefined, { address: M({ city: S('Rio de Janeiro') }) }],
  [
    'two members of one map',
    'address.city, address.zip',
    undefined,
    { address: M({ city: S('Rio de Janeiro'), zip: S('22640-102') }) },
  ],
  // A dot inside an alias belongs to the name.
  ['a name with a dot', 'address.#d', { '#d': 'a.b' }, { address: M({ 'a.b': S('dot') }) }],
  ['a name with a hyphen', '#g', { '#g': 'GSI2-PK' }, { 'GSI2-PK': S('hyphen') }],
  ['a list element', 'steps[1]', undefined, { steps: L(N(1)) }],
  // Elements come back in the order of the list, without holes.
  ['list elements in another order', 'steps[1], steps[0]', undefined, { steps: L(N(0), N(1)) }],
  [
    'two parts of one element',
    'steps[2].y, steps[2].x',
    undefined,
    { steps: L(M({ x: N(2), y: N(3) })) },
  ],
  ['a list in a list', 'steps[3][1]', undefined, { steps: L(L(N(5))) }],
  ['an element past the end', 'steps[9]', undefined, {}],
  ['a member of what is no map', 'address.city.x', undefined, {}],
];

for (const [what, ProjectionExpression, ExpressionAttributeNames, expected] of projections) {
  test(`a projection of ${what}`, async () => {
    assert.deepEqual(
      (await get({ ProjectionExpression, ExpressionAttributeNames })).Item,
      expected,
    );
  });
}

// Each row: what is wrong, the parameters, the message.
const refusals = [
  [
    'an empty projection',
    { ProjectionExpression: '' },
    'Invalid ProjectionExpression: The expression can not be empty;',
  ],
  [
    'overlapping paths',
    { ProjectionExpression: 'address, address.city' },
    'Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [address], path two: [address, city]',
  ],
  ['a path twice', { ProjectionExpression: 'pk, pk' }, /Two document paths overlap/],
  [
    'paths in conflict',
    { ProjectionExpression: 'steps[0], steps.x' },
    /Two document paths conflict/,
  ],
  [
    'a reserved word',
    { ProjectionExpression: 'data' },
    'Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: data',
  ],
  [
    'an unknown alias',
    { ProjectionExpression: '#x' },
    'Invalid ProjectionExpression: An expression attribute name used in the document path is not defined; attribute name: #x',
  ],
  [
    'an unused alias',
    { ProjectionExpression: 'pk', ExpressionAttributeNames: { '#x': 'x' } },
    'Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}',
  ],
  [
    'aliases without expression',
    { ExpressionAttributeNames: { '#x': 'x' } },
    /ExpressionAttributeNames can only be specified when using expressions/,
  ],
  [
    'a bad token',
    { ProjectionExpression: 'pk, -' },
    /Invalid ProjectionExpression: Syntax error; token: "-"/,
  ],
  [
    'a trailing comma',
    { ProjectionExpression: 'pk,' },
    /Invalid ProjectionExpression: Syntax error; token: "<EOF>"/,
  ],
  [
    'a hyphen without alias',
    { ProjectionExpression: 'GSI2-PK' },
    /Invalid ProjectionExpression: Syntax error/,
  ],
  [
    'a value in a projection',
    { ProjectionExpression: ':v' },
    /Invalid ProjectionExpression: Syntax error; token: ":v"/,
  ],
  [
    'an expression of 4,097 bytes',
    { ProjectionExpression: 'a'.repeat(4097) },
    /Expression size has exceeded the maximum allowed size/,
  ],
  [
    'a path into a key',
    { ProjectionExpression: 'pk.x' },
    "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
  ],
  [
    'both projections',
    { ProjectionExpression: 'pk', AttributesToGet: ['pk'] },
    'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}',
  ],
  [
    'AttributesToGet with a name twice',
    { AttributesToGet: ['a', 'a'] },
    'One or more parameter values were invalid: Duplicate value in attribute name: a',
  ],
  [
    'AttributesToGet without names',
    { AttributesToGet: [] },
    /'attributesToGet'.*greater than or equal to 1/,
  ],
];

for (const [what, more, message] of refusals) {
  test(`GetItem refuses ${what}`, () => invalid(get(more), message));
}

// Expressions are checked before anything is read.
test('a wrong projection is refused for an item that is not there', async () => {
  await invalid(get({ Key: { pk: S('absent'), sk: S('x') }, ProjectionExpression: 'a, a' }));
});

// The older way, which takes names as they are, without aliases or paths.
test('AttributesToGet takes top-level names literally', async () => {
  const answer = await get({ AttributesToGet: ['data', 'GSI2-PK', 'address.city'] });
  assert.deepEqual(answer.Item, { data: item.data, 'GSI2-PK': item['GSI2-PK'] });
});
