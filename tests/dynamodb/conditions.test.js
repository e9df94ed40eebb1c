// Condition expressions: comparisons, functions, precedence, and every expression that is refused.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { B, invalid, L, M, N, newTable, S, send, unique } from '../support/dynamodb.js';

const stored = {
  s: S('melão'),
  n: N(5),
  zero: N(0),
  b: B('bytes'),
  yes: { BOOL: true },
  nil: { NULL: true },
  steps: L(N(1), S('two'), M({ x: N(3) })),
  doc: M({ a: N(1), b: M({ c: S('deep') }) }),
  texts: { SS: ['a', 'b'] },
  numbers: { NS: ['1', '2'] },
  blank: S(''),
  tractor: S('🚜'),
};
let TableName;
let pk;

before(async () => {
  TableName = await newTable('pk');
  pk = unique('item');
  await send('PutItem', { TableName, Item: { pk: S(pk), ...stored } });
});

// Whether the condition holds for the stored item. The write is a ConditionCheck, which leaves the
// item as it is, so that the tests do not depend on each other.
async function holds(ConditionExpression, values, names) {
  try {
    await send('TransactWriteItems', {
      TransactItems: [
        {
          ConditionCheck: {
            TableName,
            Key: { pk: S(pk) },
            ConditionExpression,
            ExpressionAttributeValues: values,
            ExpressionAttributeNames: names,
          },
        },
      ],
    });
    return true;
  } catch (error) {
    if (error.name !== 'TransactionCanceledException') throw error;
    assert.equal(error.CancellationReasons[0].Code, 'ConditionalCheckFailed', error.message);
    return false;
  }
}

// Each row: expression, values, whether it holds.
const truths = [
  // Comparison of numbers is by value, of strings and binaries by bytes.
  ['n = :v', { ':v': N('5.0') }, true],
  ['n <> :v', { ':v': N(5) }, false],
  ['n < :v', { ':v': N(10) }, true],
  ['n <= :v', { ':v': N(5) }, true],
  ['n > :v', { ':v': N(5) }, false],
  ['n >= :v', { ':v': N('4.999') }, true],
  ['s < :v', { ':v': S('z') }, true],
  ['s > :v', { ':v': S('Z') }, true],
  ['b < :v', { ':v': B('z') }, true],
  ['n BETWEEN :a AND :b', { ':a': N(1), ':b': N(5) }, true],
  ['n BETWEEN :a AND :b', { ':a': N(6), ':b': N(7) }, false],
  [':v BETWEEN zero AND n', { ':v': N(3) }, true],
  ['n IN (:a, :b)', { ':a': N(4), ':b': N(5) }, true],
  ['n IN (:a)', { ':a': S('5') }, false],

  // Types never mix: another type is not equal, and not ordered either.
  ['n = :v', { ':v': S('5') }, false],
  ['n <> :v', { ':v': S('5') }, true],
  ['n < :v', { ':v': S('9') }, false],
  ['n >= :v', { ':v': S('1') }, false],

  // Equality is deep, and sets have no order.
  ['steps = :v', { ':v': stored.steps }, true],
  ['doc = :v', { ':v': M({ b: M({ c: S('deep') }), a: N('1.0') }) }, true],
  ['doc = :v', { ':v': M({ a: N(1) }) }, false],
  ['texts = :v', { ':v': { SS: ['b', 'a'] } }, true],
  ['numbers = :v', { ':v': { NS: ['2.0', '1'] } }, true],
  ['yes = :v', { ':v': { BOOL: true } }, true],
  ['nil = :v', { ':v': { NULL: true } }, true],

  // A missing attribute is equal to nothing, and so different from anything.
  ['absent = :v', { ':v': N(1) }, false],
  ['absent <> :v', { ':v': N(1) }, true],
  ['absent < :v', { ':v': N(1) }, false],
  ['absent IN (:v)', { ':v': N(1) }, false],
  ['NOT absent = :v', { ':v': N(1) }, true],
  ['absent = another', undefined, false],

  // Functions.
  ['attribute_exists(n)', undefined, true],
  ['attribute_exists(absent)', undefined, false],
  ['attribute_not_exists(absent)', undefined, true],
  ['attribute_exists(nil)', undefined, true],
  ['attribute_exists(doc.b.c)', undefined, true],
  ['attribute_exists(doc.b.d)', undefined, false],
  ['attribute_exists(steps[2].x)', undefined, true],
  ['attribute_exists(steps[9])', undefined, false],
  ['attribute_type(n, :t)', { ':t': S('N') }, true],
  ['attribute_type(n, :t)', { ':t': S('S') }, false],
  ['attribute_type(texts, :t)', { ':t': S('SS') }, true],
  ['attribute_type(nil, :t)', { ':t': S('NULL') }, true],
  ['attribute_type(doc, :t)', { ':t': S('M') }, true],
  ['begins_with(s, :p)', { ':p': S('mel') }, true],
  ['begins_with(s, :p)', { ':p': S('') }, true],
  ['begins_with(s, :p)', { ':p': S('elm') }, false],
  ['begins_with(b, :p)', { ':p': B('byt') }, true],
  ['begins_with(n, :p)', { ':p': S('5') }, false],
  ['contains(s, :p)', { ':p': S('lã') }, true],
  ['contains(texts, :p)', { ':p': S('a') }, true],
  ['contains(texts, :p)', { ':p': S('ab') }, false],
  ['contains(numbers, :p)', { ':p': N('2.0') }, true],
  ['contains(steps, :p)', { ':p': S('two') }, true],
  ['contains(steps, :p)', { ':p': M({ x: N(3) }) }, true],
  ['contains(b, :p)', { ':p': B('te') }, true],
  ['contains(n, :p)', { ':p': S('5') }, false],

  // size: characters of a string as UTF-16 counts them, bytes of a binary, members of the rest.
  ['size(s) = :v', { ':v': N(5) }, true],
  ['size(tractor) = :v', { ':v': N(2) }, true],
  ['size(b) = :v', { ':v': N(5) }, true],
  ['size(steps) = :v', { ':v': N(3) }, true],
  ['size(doc) = :v', { ':v': N(2) }, true],
  ['size(texts) = :v', { ':v': N(2) }, true],
  ['size(blank) = :v', { ':v': N(0) }, true],
  ['size(absent) > :v', { ':v': N(0) }, false],
  ['size(n) > :v', { ':v': N(0) }, false],

  // NOT binds closer than AND, and AND closer than OR.
  ['n = :five OR n = :six AND n = :seven', { ':five': N(5), ':six': N(6), ':seven': N(7) }, true],
  [
    '(n = :five OR n = :six) AND n = :seven',
    { ':five': N(5), ':six': N(6), ':seven': N(7) },
    false,
  ],
  ['NOT n = :six AND n = :five', { ':five': N(5), ':six': N(6) }, true],
  ['NOT (n = :five)', { ':five': N(5) }, false],
  ['not attribute_exists(n) or n between :five and :six', { ':five': N(5), ':six': N(6) }, true],
  ['n = n2 OR attribute_exists(n)', undefined, true],
  [':a = :b', { ':a': N(1), ':b': N('1.0') }, true],
];

for (const [expression, values, expected] of truths) {
  const shown = JSON.stringify(values ?? {}, (key, value) =>
    key === 'B' ? Buffer.from(value.data).toString() : value,
  );
  test(`${expression} with ${shown} is ${expected}`, async () => {
    assert.equal(await holds(expression, values), expected);
  });
}

// Names that are reserved, hyphenated or full of dots are reachable through aliases.
test('aliases reach any name', async () => {
  const item = { pk: S(unique('alias')), status: S('x'), 'GSI2-PK': S('y'), 'a.b': S('z') };
  await send('PutItem', { TableName, Item: item });
  await send('DeleteItem', {
    TableName,
    Key: { pk: item.pk },
    ConditionExpression: '#s = :s AND #g = :g AND #d = :d',
    ExpressionAttributeNames: { '#s': 'status', '#g': 'GSI2-PK', '#d': 'a.b' },
    ExpressionAttributeValues: { ':s': S('x'), ':g': S('y'), ':d': S('z') },
  });
});

const X = 'Invalid ConditionExpression: ';
const v = { ':v': N(1) };

// Each row: what is wrong, the expression, its values, the message. All are refused by their text
// and operand types alone, so they are tried on an item that does not exist.
const refusals = [
  ['an incomplete comparison', 'a =', undefined, /Syntax error; token: "<EOF>"/],
  ['an unknown operator', 'a == :v', v, /Syntax error; token: "="/],
  ['a lone operand', 'a', undefined, /Syntax error; token: "<EOF>"/],
  ['a missing parenthesis', '(a = :v', v, /Syntax error; token: "<EOF>"/],
  ['redundant parentheses', '((a = :v))', v, `${X}The expression has redundant parentheses;`],
  [
    'an undefined value',
    'a = :w',
    undefined,
    `${X}An expression attribute value used in expression is not defined; attribute value: :w`,
  ],
  [
    'an undefined name',
    '#a = :v',
    v,
    `${X}An expression attribute name used in the document path is not defined; attribute name: #a`,
  ],
  [
    'a reserved word',
    'status = :v',
    v,
    `${X}Attribute name is a reserved keyword; reserved keyword: status`,
  ],
  ['an unknown function', 'exists(a)', undefined, `${X}Invalid function name; function: exists`],
  [
    'a function with its name in capitals',
    'ATTRIBUTE_EXISTS(a)',
    undefined,
    `${X}Invalid function name; function: ATTRIBUTE_EXISTS`,
  ],
  [
    'too many operands',
    'attribute_exists(a, b)',
    undefined,
    `${X}Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2`,
  ],
  [
    'attribute_exists of a value',
    'attribute_exists(:v)',
    v,
    `${X}Operator or function requires a document path; operator or function: attribute_exists`,
  ],
  [
    'an unknown type name',
    'attribute_type(a, :v)',
    { ':v': S('STRING') },
    /Invalid attribute type name found; type: STRING, valid types: /,
  ],
  [
    'a type that is no string',
    'attribute_type(a, :v)',
    v,
    `${X}Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N`,
  ],
  [
    'begins_with a number',
    'begins_with(a, :v)',
    v,
    `${X}Incorrect operand type for operator or function; operator or function: begins_with, operand type: N`,
  ],
  [
    'order of a boolean',
    'a < :v',
    { ':v': { BOOL: true } },
    `${X}Incorrect operand type for operator or function; operator or function: <, operand type: BOOL`,
  ],
  ['order of a list', 'a >= :v', { ':v': L() }, /operator or function: >=, operand type: L/],
  [
    'bounds upside down',
    'a BETWEEN :b AND :v',
    { ':b': N(2), ':v': N(1) },
    /The BETWEEN operator requires upper bound to be greater than or equal to lower bound/,
  ],
  [
    'bounds of two types',
    'a BETWEEN :b AND :v',
    { ':b': S('2'), ':v': N(1) },
    /The BETWEEN operator requires same data type for lower and upper bounds/,
  ],
  [
    'size alone',
    'size(a)',
    undefined,
    /The function is not allowed to be used this way in an expression; function: size/,
  ],
  [
    'a condition as an operand',
    'attribute_exists(a) = :v',
    v,
    /The function is not allowed to be used this way in an expression; function: attribute_exists/,
  ],
  [
    'contains of the same operand',
    'contains(a, a)',
    undefined,
    `${X}The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [a]`,
  ],
  [
    'a comparison with itself',
    'a = a',
    undefined,
    `${X}The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]`,
  ],
  [
    '101 operands of IN',
    `a IN (${Array.from({ length: 101 }, () => ':v').join(', ')})`,
    v,
    /IN|operands/,
  ],
  [
    'an update function',
    'if_not_exists(a, :v) = :v',
    v,
    /function is not allowed in a condition expression; function: if_not_exists/,
  ],
  [
    'an expression of 4,097 bytes',
    `attribute_exists(${'a'.repeat(4080)})`,
    undefined,
    /Expression size has exceeded the maximum allowed size/,
  ],
];

for (const [what, ConditionExpression, ExpressionAttributeValues, message] of refusals) {
  test(`a condition with ${what} is refused`, () =>
    invalid(
      send('PutItem', {
        TableName,
        Item: { pk: S(unique('none')) },
        ConditionExpression,
        ExpressionAttributeValues,
      }),
      message,
    ));
}

// 300 operators and functions are allowed; the count is of the whole expression.
test('more than 300 operators are refused', async () => {
  const expression = Array.from({ length: 152 }, () => 'a=:v').join(' OR ');
  await invalid(
    send('PutItem', {
      TableName,
      Item: { pk: S('x') },
      ConditionExpression: expression,
      ExpressionAttributeValues: v,
    }),
    /operator|operators/i,
  );
});

test('100 operands of IN are allowed', async () => {
  const values = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`:v${i}`, N(i)]));
  assert.equal(await holds(`n IN (${Object.keys(values).join(', ')})`, values), true);
});
