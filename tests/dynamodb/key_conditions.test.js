// Key conditions of Query: every form, every type of sort key, and those that are refused.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { B, invalid, N, newTable, putAll, S, send } from '../support/dynamodb.js';

let TableName;
let Numbers;
let Bytes;

const SORT = [
  '#METADATA',
  'ITEM#PRD-1001',
  'ITEM#PRD-2002',
  'META#12.345.678/0001-99',
  'SHIPPING#São Paulo#1',
  'Z',
  'a',
  'á',
  '日',
];

before(async () => {
  [TableName, Numbers, Bytes] = await Promise.all([
    newTable('pk sk'),
    newTable('pk sk:N'),
    newTable('pk sk:B'),
  ]);
  await putAll(TableName, [
    ...SORT.map((sk) => ({ pk: S('COMPANY#1'), sk: S(sk) })),
    { pk: S('COMPANY#1#ORDER#1'), sk: S('Z') },
  ]);
  await putAll(
    Numbers,
    ['-1E10', '-2.5', '-1', '0', '0.001', '1', '9', '10', '1E20'].map((sk) => ({
      pk: S('p'),
      sk: N(sk),
    })),
  );
  await putAll(
    Bytes,
    [[0], [0, 0], [0, 255], [1], [127], [128], [255], [255, 255]].map((sk) => ({
      pk: S('p'),
      sk: B(Buffer.from(sk)),
    })),
  );
});

function query(KeyConditionExpression, values, more = {}) {
  return send('Query', {
    TableName,
    KeyConditionExpression,
    ExpressionAttributeValues: values,
    ...more,
  });
}

const pk = { ':p': S('COMPANY#1') };
const sortKeys = (answer) => answer.Items.map((item) => item.sk.S);

// Each row: the condition, its values beside :p, the sort keys found.
const conditions = [
  ['sk = :a', { ':a': 'Z' }, ['Z']],
  ['sk < :a', { ':a': 'ITEM#PRD-2002' }, ['#METADATA', 'ITEM#PRD-1001']],
  ['sk <= :a', { ':a': 'ITEM#PRD-1001' }, ['#METADATA', 'ITEM#PRD-1001']],
  ['sk > :a', { ':a': 'a' }, ['á', '日']],
  ['sk >= :a', { ':a': 'a' }, ['a', 'á', '日']],
  [
    'sk BETWEEN :a AND :b',
    { ':a': 'ITEM#', ':b': 'META#~' },
    ['ITEM#PRD-1001', 'ITEM#PRD-2002', 'META#12.345.678/0001-99'],
  ],
  ['sk between :a and :b', { ':a': 'Z', ':b': 'Z' }, ['Z']],
  ['begins_with(sk, :a)', { ':a': 'ITEM#' }, ['ITEM#PRD-1001', 'ITEM#PRD-2002']],
  ['begins_with(sk, :a)', { ':a': 'SHIPPING#São' }, ['SHIPPING#São Paulo#1']],
  ['begins_with(sk, :a)', { ':a': 'nothing' }, []],
];

for (const [condition, raw, expected] of conditions) {
  const values = Object.fromEntries(Object.entries(raw).map(([name, text]) => [name, S(text)]));
  for (const ScanIndexForward of [true, false]) {
    test(`${condition} with ${JSON.stringify(raw)}${ScanIndexForward ? '' : ' backwards'}`, async () => {
      const answer = await query(
        `pk = :p AND ${condition}`,
        { ...pk, ...values },
        { ScanIndexForward },
      );
      assert.deepEqual(sortKeys(answer), ScanIndexForward ? expected : [...expected].reverse());
    });
  }
}

// The parts may come in any order, in parentheses, with the value first, through aliases.
test('the spelling of a key condition is free', async () => {
  const spellings = [
    'begins_with(sk, :s) AND pk = :p',
    '(pk = :p) AND (begins_with(sk, :s))',
    '(pk = :p AND begins_with(sk, :s))',
    ':p = pk and begins_with(sk, :s)',
  ];
  for (const spelling of spellings) {
    const answer = await query(spelling, { ...pk, ':s': S('ITEM#') });
    assert.equal(answer.Count, 2, spelling);
  }
  const aliased = await query(
    '#p = :p AND #s >= :s',
    { ...pk, ':s': S('日') },
    { ExpressionAttributeNames: { '#p': 'pk', '#s': 'sk' } },
  );
  assert.deepEqual(sortKeys(aliased), ['日']);
});

// Numbers sort by value, negative ones first.
test('numbers sort by value', async () => {
  const answer = await query('pk = :p', { ':p': S('p') }, { TableName: Numbers });
  assert.deepEqual(
    answer.Items.map((item) => Number(item.sk.N)),
    [-1e10, -2.5, -1, 0, 0.001, 1, 9, 10, 1e20],
  );
  const range = await query(
    'pk = :p AND sk BETWEEN :a AND :b',
    { ':p': S('p'), ':a': N('-2.50'), ':b': N('1.0') },
    { TableName: Numbers },
  );
  assert.deepEqual(
    range.Items.map((item) => Number(item.sk.N)),
    [-2.5, -1, 0, 0.001, 1],
  );
});

// Binaries sort as unsigned bytes.
test('binaries sort as unsigned bytes', async () => {
  const shown = (answer) => answer.Items.map((item) => Buffer.from(item.sk.B).toString('hex'));
  const answer = await query('pk = :p', { ':p': S('p') }, { TableName: Bytes });
  assert.deepEqual(shown(answer), ['00', '0000', '00ff', '01', '7f', '80', 'ff', 'ffff']);
  const prefix = await query(
    'pk = :p AND begins_with(sk, :b)',
    { ':p': S('p'), ':b': B(Buffer.from([255])) },
    { TableName: Bytes },
  );
  assert.deepEqual(shown(prefix), ['ff', 'ffff']);
});

const MISSED = 'Query condition missed key schema element: ';

// Each row: what is wrong, the condition, its values, more parameters, the message.
const refusals = [
  // Key conditions.
  [
    'no condition',
    undefined,
    undefined,
    {},
    'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
  ],
  [
    'an empty condition',
    '',
    undefined,
    {},
    'Invalid KeyConditionExpression: The expression can not be empty;',
  ],
  ['a condition without the hash key', 'sk = :a', { ':a': S('x') }, {}, `${MISSED}pk`],
  [
    'a condition on something else',
    'pk = :p AND another = :a',
    { ...pk, ':a': S('x') },
    {},
    `${MISSED}sk`,
  ],
  ['a range of the hash key', 'pk > :p', pk, {}, 'Query key condition not supported'],
  [
    'begins_with of the hash key',
    'begins_with(pk, :p)',
    pk,
    {},
    'Query key condition not supported',
  ],
  [
    'OR',
    'pk = :p OR sk = :a',
    { ...pk, ':a': S('x') },
    {},
    'Invalid operator used in KeyConditionExpression: OR',
  ],
  ['NOT', 'NOT pk = :p', pk, {}, 'Invalid operator used in KeyConditionExpression: NOT'],
  [
    'IN',
    'pk = :p AND sk IN (:a)',
    { ...pk, ':a': S('x') },
    {},
    'Invalid operator used in KeyConditionExpression: IN',
  ],
  [
    '<>',
    'pk = :p AND sk <> :a',
    { ...pk, ':a': S('x') },
    {},
    /Unsupported operator on KeyCondition|Invalid operator used in KeyConditionExpression/,
  ],
  [
    'contains',
    'pk = :p AND contains(sk, :a)',
    { ...pk, ':a': S('x') },
    {},
    /Invalid operator used in KeyConditionExpression: contains/,
  ],
  [
    'three conditions',
    'pk = :p AND sk > :a AND sk < :b',
    { ...pk, ':a': S('a'), ':b': S('b') },
    {},
    /KeyConditionExpressions must only contain one condition per key|conditions/i,
  ],
  [
    'the hash key twice',
    'pk = :p AND pk = :p',
    pk,
    {},
    /KeyConditionExpressions must only contain one condition per key/,
  ],
  [
    'a value of another type',
    'pk = :p',
    { ':p': N(1) },
    {},
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  ],
  [
    'a sort value of another type',
    'pk = :p AND sk = :a',
    { ...pk, ':a': N(1) },
    {},
    'One or more parameter values were invalid: Condition parameter type does not match schema type',
  ],
  [
    'bounds upside down',
    'pk = :p AND sk BETWEEN :a AND :b',
    { ...pk, ':a': S('z'), ':b': S('a') },
    {},
    /The BETWEEN operator requires upper bound to be greater than or equal to lower bound/,
  ],
  ['an empty key value', 'pk = :p', { ':p': S('') }, {}, /[Ee]mpty string value|empty/],
  [
    'two names',
    'pk = sk',
    undefined,
    {},
    'Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition',
  ],
  [
    'a nested path',
    'pk.a = :p',
    pk,
    {},
    /KeyConditionExpressions cannot have conditions on nested attributes|nested/,
  ],
  [
    'a syntax error',
    'pk = ',
    undefined,
    {},
    /Invalid KeyConditionExpression: Syntax error; token: "<EOF>"/,
  ],
  [
    'an unused value',
    'pk = :p',
    { ...pk, ':x': S('x') },
    {},
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}',
  ],
  [
    'an undefined value',
    'pk = :q',
    pk,
    {},
    /An expression attribute value used in expression is not defined; attribute value: :q/,
  ],
];

for (const [what, condition, values, more, message] of refusals) {
  test(`a key condition with ${what} is refused`, () =>
    invalid(query(condition, values, more), message));
}

// begins_with needs text or bytes.
test('begins_with on a number key is refused', async () => {
  await invalid(
    query('pk = :p AND begins_with(sk, :n)', { ':p': S('p'), ':n': N(1) }, { TableName: Numbers }),
    'Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
  );
});
