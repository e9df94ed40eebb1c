// Update expressions: what each clause and function does, and those that are refused or fail.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';

import { invalid, L, M, N, newTable, S, send, unique } from '../support/dynamodb.js';

let TableName;

before(async () => {
  TableName = await newTable('pk');
});

const put = (Item) => send('PutItem', { TableName, Item });
const get = async (pk) =>
  (await send('GetItem', { TableName, Key: { pk: S(pk) }, ConsistentRead: true })).Item;

function update(pk, UpdateExpression, values, more = {}) {
  return send('UpdateItem', {
    TableName,
    Key: { pk: S(pk) },
    UpdateExpression,
    ExpressionAttributeValues: values,
    ...more,
  });
}

// Each row: what happens, the attributes before (null: no item), the expression, its values, the
// attributes after.
const changes = [
  // SET copies, computes and nests.
  [
    'SET replaces and adds',
    { a: N(1) },
    'SET a = :a, b = :b',
    { ':a': S('x'), ':b': L() },
    { a: S('x'), b: L() },
  ],
  ['SET copies an attribute', { a: N(1) }, 'SET b = a', undefined, { a: N(1), b: N(1) }],
  // All right sides see the item as it was.
  [
    'SET swaps two attributes',
    { a: N(1), b: N(2) },
    'SET a = b, b = a',
    undefined,
    { a: N(2), b: N(1) },
  ],
  ['SET adds numbers', { a: N(1) }, 'SET a = a + :n', { ':n': N('0.5') }, { a: N('1.5') }],
  ['SET subtracts numbers', { a: N(1) }, 'SET a = a - :n', { ':n': N(3) }, { a: N(-2) }],
  [
    'SET of two paths',
    { a: N(1), b: N(2) },
    'SET c = a + b',
    undefined,
    { a: N(1), b: N(2), c: N(3) },
  ],
  // 0.1 + 0.2 is exact in decimal.
  ['addition is decimal', { a: N('0.1') }, 'SET a = a + :n', { ':n': N('0.2') }, { a: N('0.3') }],
  [
    'if_not_exists keeps what is there',
    { a: N(1) },
    'SET a = if_not_exists(a, :n)',
    { ':n': N(9) },
    { a: N(1) },
  ],
  [
    'if_not_exists fills what is not',
    {},
    'SET a = if_not_exists(a, :n)',
    { ':n': N(9) },
    { a: N(9) },
  ],
  [
    'a counter that starts by itself',
    null,
    'SET a = if_not_exists(a, :z) + :o',
    { ':z': N(0), ':o': N(1) },
    { a: N(1) },
  ],
  [
    'if_not_exists of another path',
    { b: N(5) },
    'SET a = if_not_exists(b, :n)',
    { ':n': N(9) },
    { a: N(5), b: N(5) },
  ],
  [
    'list_append at the end',
    { a: L(N(1)) },
    'SET a = list_append(a, :l)',
    { ':l': L(N(2)) },
    { a: L(N(1), N(2)) },
  ],
  [
    'list_append at the beginning',
    { a: L(N(1)) },
    'SET a = list_append(:l, a)',
    { ':l': L(N(0)) },
    { a: L(N(0), N(1)) },
  ],
  [
    'list_append on a list that may not be there',
    {},
    'SET a = list_append(if_not_exists(a, :e), :l)',
    { ':e': L(), ':l': L(N(1)) },
    { a: L(N(1)) },
  ],
  [
    'SET of a map member',
    { m: M({ x: N(1) }) },
    'SET m.y = :y',
    { ':y': N(2) },
    { m: M({ x: N(1), y: N(2) }) },
  ],
  [
    'SET of a list element',
    { l: L(N(1), N(2)) },
    'SET l[1] = :v',
    { ':v': N(9) },
    { l: L(N(1), N(9)) },
  ],
  // An index past the end appends.
  [
    'SET past the end appends',
    { l: L(N(1)) },
    'SET l[7] = :v',
    { ':v': N(9) },
    { l: L(N(1), N(9)) },
  ],
  [
    'SET deep inside',
    { m: M({ l: L(M({ x: N(1) })) }) },
    'SET m.l[0].x = :v',
    { ':v': N(2) },
    { m: M({ l: L(M({ x: N(2) })) }) },
  ],

  // REMOVE.
  ['REMOVE of attributes', { a: N(1), b: N(2), c: N(3) }, 'REMOVE a, b', undefined, { c: N(3) }],
  ['REMOVE of what is not there', { a: N(1) }, 'REMOVE zzz', undefined, { a: N(1) }],
  [
    'REMOVE of list elements',
    { l: L(N(0), N(1), N(2), N(3)) },
    'REMOVE l[1], l[2]',
    undefined,
    { l: L(N(0), N(3)) },
  ],
  [
    'REMOVE of a map member',
    { m: M({ x: N(1), y: N(2) }) },
    'REMOVE m.x',
    undefined,
    { m: M({ y: N(2) }) },
  ],

  // ADD: numbers and sets, starting from nothing.
  ['ADD to a number', { a: N(1) }, 'ADD a :n', { ':n': N(41) }, { a: N(42) }],
  ['ADD starts at zero', {}, 'ADD a :n', { ':n': N(-5) }, { a: N(-5) }],
  ['ADD on a missing item', null, 'ADD a :n', { ':n': N(1) }, { a: N(1) }],
  [
    'ADD to a string set',
    { s: { SS: ['a'] } },
    'ADD s :s',
    { ':s': { SS: ['a', 'b'] } },
    { s: { SS: ['a', 'b'] } },
  ],
  ['ADD starts a set', {}, 'ADD s :s', { ':s': { NS: ['1'] } }, { s: { NS: ['1'] } }],
  ['ADD inside a map', { m: M({ n: N(1) }) }, 'ADD m.n :n', { ':n': N(1) }, { m: M({ n: N(2) }) }],

  // DELETE: members of sets; an empty set goes away.
  [
    'DELETE of members',
    { s: { SS: ['a', 'b', 'c'] } },
    'DELETE s :s',
    { ':s': { SS: ['b', 'z'] } },
    { s: { SS: ['a', 'c'] } },
  ],
  [
    'DELETE of the last member',
    { a: N(1), s: { NS: ['1'] } },
    'DELETE s :s',
    { ':s': { NS: ['1.0'] } },
    { a: N(1) },
  ],
  [
    'DELETE from what is not there',
    { a: N(1) },
    'DELETE s :s',
    { ':s': { SS: ['x'] } },
    { a: N(1) },
  ],

  // All four clauses in any order, keywords in any case.
  [
    'all clauses at once',
    { a: N(1), b: N(2), c: N(3), s: { SS: ['x', 'y'] } },
    'delete s :s Remove b ADD c :one SET a = :one',
    { ':s': { SS: ['x'] }, ':one': N(1) },
    { a: N(1), c: N(4), s: { SS: ['y'] } },
  ],
];

for (const [what, initial, expression, values, after] of changes) {
  test(what, async () => {
    const pk = unique('change');
    if (initial) await put({ pk: S(pk), ...initial });
    await update(pk, expression, values);
    const found = await get(pk);
    for (const value of Object.values(found)) (value.SS ?? value.NS)?.sort();
    assert.deepEqual(found, { pk: S(pk), ...after });
  });
}

const X = 'Invalid UpdateExpression: ';
const one = { ':v': N(1) };

// Each row: what is wrong, the expression, its values, the message.
const refusals = [
  // Refused by the text alone, before any item is read.
  ['an empty expression', '', undefined, `${X}The expression can not be empty;`],
  [
    'no clause',
    'INVALID SYNTAX',
    undefined,
    `${X}Syntax error; token: "INVALID", near: "INVALID SYNTAX"`,
  ],
  [
    'a clause twice',
    'SET a = :v SET b = :v',
    one,
    `${X}The "SET" section can only be used once in an update expression;`,
  ],
  [
    'a path twice',
    'SET a = :v, a = :v',
    one,
    `${X}Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]`,
  ],
  [
    'overlapping paths',
    'SET a = :v REMOVE a.b',
    one,
    `${X}Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a, b]`,
  ],
  [
    'paths in conflict',
    'SET a.b = :v, a[0] = :v',
    one,
    /Two document paths conflict with each other/,
  ],
  [
    'an undefined value',
    'SET a = :w',
    one,
    /An expression attribute value used in expression is not defined; attribute value: :w/,
  ],
  [
    'an undefined name',
    'SET #a = :v',
    one,
    /An expression attribute name used in the document path is not defined; attribute name: #a/,
  ],
  [
    'a reserved word',
    'SET status = :v',
    one,
    `${X}Attribute name is a reserved keyword; reserved keyword: status`,
  ],
  ['an unknown function', 'SET a = foo(:v)', one, `${X}Invalid function name; function: foo`],
  [
    'a condition function',
    'SET a = attribute_exists(b)',
    undefined,
    /function is not allowed in an update expression; function: attribute_exists/,
  ],
  [
    'a function with too few operands',
    'SET a = if_not_exists(a)',
    undefined,
    `${X}Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 1`,
  ],
  [
    'if_not_exists of a value',
    'SET a = if_not_exists(:v, :v)',
    one,
    `${X}Operator or function requires a document path; operator or function: if_not_exists`,
  ],
  [
    'addition of a string',
    'SET a = a + :v',
    { ':v': S('x') },
    `${X}Incorrect operand type for operator or function; operator or function: +, operand type: S`,
  ],
  [
    'list_append of a number',
    'SET a = list_append(a, :v)',
    one,
    `${X}Incorrect operand type for operator or function; operator or function: list_append, operand type: N`,
  ],
  [
    'ADD of a string',
    'ADD a :v',
    { ':v': S('x') },
    `${X}Incorrect operand type for operator or function; operator: ADD, operand type: STRING, typeSet: ALLOWED_FOR_ADD_OPERAND`,
  ],
  [
    'DELETE of a number',
    'DELETE a :v',
    one,
    `${X}Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_DELETE_OPERAND`,
  ],
  ['ADD of a path', 'ADD a b', undefined, /Syntax error; token: "b"/],
  ['three operands in a row', 'SET a = a + :v + :v', one, /Syntax error; token: "\+"/],
  [
    'an unused value',
    'SET a = :v',
    { ...one, ':w': N(2) },
    'Value provided in ExpressionAttributeValues unused in expressions: keys: {:w}',
  ],
  [
    'a change of the key',
    'SET pk = :v',
    { ':v': S('x') },
    'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
  ],
  [
    'a removal of the key',
    'REMOVE pk',
    undefined,
    'One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key',
  ],
  [
    'an expression of 4,097 bytes',
    `REMOVE ${'a'.repeat(4090)}`,
    undefined,
    /Expression size has exceeded the maximum allowed size/,
  ],
  ['a hyphen in a name', 'SET GSI2-PK = :v', one, /Syntax error/],
];

for (const [what, expression, values, message] of refusals) {
  test(`an update with ${what} is refused`, () =>
    invalid(update(unique('none'), expression, values), message));
}

const MISSING = 'The provided expression refers to an attribute that does not exist in the item';
const BAD_PATH = 'The document path provided in the update expression is invalid for update';
const BAD_TYPE = 'An operand in the update expression has an incorrect data type';

// Each row: what is wrong, the attributes before, the expression, its values, the message.
const failures = [
  ['a copy of what is not there', {}, 'SET a = b', undefined, MISSING],
  ['an addition to what is not there', {}, 'SET a = a + :v', one, MISSING],
  // The service never makes a parent.
  ['a member of a map that is not there', {}, 'SET m.x = :v', one, BAD_PATH],
  ['a member of a number', { m: N(1) }, 'SET m.x = :v', one, BAD_PATH],
  ['an element of a list that is not there', {}, 'SET l[0] = :v', one, BAD_PATH],
  ['a removal inside what is not there', {}, 'REMOVE m.x', undefined, BAD_PATH],
  ['an addition to a string', { a: S('x') }, 'SET a = a + :v', one, BAD_TYPE],
  ['ADD of a number to a string', { a: S('x') }, 'ADD a :v', one, BAD_TYPE],
  [
    'ADD of another kind of set',
    { a: { SS: ['x'] } },
    'ADD a :v',
    { ':v': { NS: ['1'] } },
    BAD_TYPE,
  ],
  [
    'DELETE of another kind of set',
    { a: { SS: ['x'] } },
    'DELETE a :v',
    { ':v': { NS: ['1'] } },
    BAD_TYPE,
  ],
  ['list_append to a string', { a: S('x') }, 'SET a = list_append(a, :v)', { ':v': L() }, BAD_TYPE],
  [
    'a sum past the largest number',
    { a: N(`9${'0'.repeat(125)}`) },
    'SET a = a + :v',
    { ':v': N('9E125') },
    /[Oo]verflow/,
  ],
];

for (const [what, initial, expression, values, message] of failures) {
  test(`${what} fails and changes nothing`, async () => {
    const pk = unique('fail');
    await put({ pk: S(pk), ...initial });
    await invalid(update(pk, expression, values), message);
    assert.deepEqual(await get(pk), { pk: S(pk), ...initial });
  });
}
