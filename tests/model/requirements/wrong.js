// A server of the orders, trading and chat designs for requests that must be refused, and what it
// takes to see that a refusal changed nothing.

import assert from 'node:assert/strict';

import { modelPath } from '../designs.js';
import { problem, raw, rest, serve } from './rest.js';

const TABLES = ['orders', 'oms_trading_data_dev', 'Tenants', 'Users', 'RuralCreditAI'];

export async function serveAll() {
  const more = ['--model', modelPath('trading'), '--model', modelPath('chat'), '--create-adopted'];
  const server = await serve('orders', { args: more });
  const tables = TABLES.map((name) => raw(server, name));
  const tenant = (name) => rest(server, { prefix: '/api/v1/chat', headers: { tenant: name } });

  async function contents() {
    const items = await Promise.all(tables.map((table) => table.scan({ ConsistentRead: true })));
    return items.map((each) => Object.fromEntries(each.map((item) => [keyOf(item), item])));
  }

  // Expects the request to be refused with this status and code, with errors about exactly these
  // fields ({ '/side': 'enum' }), and without a change in any table. Answers the problem.
  async function refuses(request, status, code, fields = {}) {
    const before = await contents();
    const body = await problem(request(), status, code);
    const errors = Object.fromEntries((body.errors ?? []).map((each) => [each.path, each.code]));
    assert.deepEqual(errors, fields, JSON.stringify(body));
    for (const { message } of body.errors ?? []) assert.match(message, /\.$|\?$/);
    assert.deepEqual(await contents(), before);
    return body;
  }

  return {
    server,
    orders: rest(server, { prefix: '/api/v1/orders' }),
    trading: rest(server, { prefix: '/api/v1/trading' }),
    operator: rest(server, { prefix: '/api/v1/chat' }),
    chat: tenant('tenant-1'),
    other: tenant('tenant-2'),
    refuses,
    invalid: (request, fields) => refuses(request, 400, 'invalid', fields),
  };
}

const keyOf = ({ PK, SK }) => `${PK.S}|${SK.S}`;
