// Numbers: 38 decimal digits, exact, in a normal form.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, N, newTable, S, send, unique } from '../support/dynamodb.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

async function stored(text) {
  const pk = S(unique('n'));
  await send('PutItem', { TableName, Item: { pk, n: N(text) } });
  return (await send('GetItem', { TableName, Key: { pk } })).Item.n.N;
}

// Each row: what is sent, what comes back. Zeros that carry nothing are dropped.
const forms = [
  ['0', '0'],
  ['-0', '0'],
  ['0.000', '0'],
  ['0E10', '0'],
  ['007', '7'],
  ['1.0', '1'],
  ['45000.00', '45000'],
  ['-12.50', '-12.5'],
  ['+5', '5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['1e3', '1000'],
  ['1E+3', '1000'],
  ['12E-3', '0.012'],
  ['0.1', '0.1'],
  ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
  ['0.12345678901234567890123456789012345678', '0.12345678901234567890123456789012345678'],
  ['100000000000000000000000000000000000000000', '100000000000000000000000000000000000000000'],
];

for (const [sent, back] of forms) {
  test(`${sent} is stored as ${back}`, async () => {
    assert.equal(await stored(sent), back);
  });
}

// The ends of the range, by value, since their spelling may be scientific or not.
test('the largest and smallest magnitudes are stored exactly', async () => {
  for (const [digits, exponent] of [
    ['9'.repeat(38), 88],
    ['1', -130],
    ['1', 125],
  ]) {
    for (const sign of ['', '-']) {
      const text = `${sign}${digits}E${exponent}`;
      const back = await stored(text);
      // Put back, it must be equal to what it was, and nothing else.
      const pk = S(unique('same'));
      await send('PutItem', { TableName, Item: { pk, n: N(back) } });
      await send('DeleteItem', {
        TableName,
        Key: { pk },
        ConditionExpression: 'n = :n',
        ExpressionAttributeValues: { ':n': N(text) },
      });
    }
  }
});

const MORE = 'Attempting to store more than 38 significant digits in a Number';
const OVER =
  'Number overflow. Attempting to store a number with magnitude larger than supported range';
const UNDER =
  'Number underflow. Attempting to store a number with magnitude smaller than supported range';
const NONE = /^The parameter cannot be converted to a numeric value/;

// Each row: what is sent, the message.
const refusals = [
  ['1'.repeat(39), MORE],
  [`0.${'1'.repeat(39)}`, MORE],
  [`1${'0'.repeat(37)}1`, MORE],
  ['1E126', OVER],
  ['-1E126', OVER],
  ['10E125', OVER],
  ['1E-131', UNDER],
  ['-1E-131', UNDER],
  ['abc', NONE],
  ['', NONE],
  [' 1', NONE],
  ['1 ', NONE],
  ['1+2', NONE],
  ['1.2.3', NONE],
  ['1e', NONE],
  ['--1', NONE],
  ['0x10', NONE],
  ['1_000', NONE],
  ['NaN', NONE],
  ['Infinity', NONE],
  ['.', NONE],
];

for (const [text, message] of refusals) {
  test(`'${text}' is refused`, () => invalid(stored(text), message));
}

// Leading and trailing zeros are not significant.
test('zeros do not count as digits', async () => {
  assert.equal(await stored(`000${'1'.repeat(38)}`), '1'.repeat(38));
  assert.equal(await stored(`${'1'.repeat(38)}000`), `${'1'.repeat(38)}000`);
});

// Sums are rounded to nothing: they fit in 38 digits or fail.
test('sums are exact', async () => {
  const Key = { pk: S(unique('sum')) };
  const add = (n) =>
    send('UpdateItem', {
      TableName,
      Key,
      UpdateExpression: 'ADD n :n',
      ExpressionAttributeValues: { ':n': N(n) },
      ReturnValues: 'UPDATED_NEW',
    }).then(({ Attributes }) => Attributes.n.N);
  assert.equal(await add('0.1'), '0.1');
  assert.equal(await add('0.2'), '0.3');
  assert.equal(
    await add('99999999999999999999999999999999999'),
    '99999999999999999999999999999999999.3',
  );
  assert.equal(await add('-99999999999999999999999999999999999.3'), '0');
});

// Equal numbers are one member of a set.
test('a number set is a set of values', async () => {
  const pk = S(unique('set'));
  await invalid(
    send('PutItem', { TableName, Item: { pk, s: { NS: ['1', '1.00'] } } }),
    /contains duplicates/,
  );
  await send('PutItem', { TableName, Item: { pk, s: { NS: ['3', '1.50', '-2'] } } });
  const { Item } = await send('GetItem', { TableName, Key: { pk } });
  assert.deepEqual(new Set(Item.s.NS), new Set(['3', '1.5', '-2']));
});
