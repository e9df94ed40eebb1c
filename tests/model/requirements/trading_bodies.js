// What the tests of the trading design send, and where it ends up.

import { N, S, texts } from './rest.js';

export const TABLE = 'oms_trading_data_dev';
export const DAY = 86_400;
export const KEPT = 90 * DAY; // OMS-T2: 7 776 000 seconds

// A moment some days before now, in whole seconds: 2026-11-15T10:30:00Z.
export function daysAgo(days) {
  return isoOf(Math.floor(Date.now() / 1000) - days * DAY);
}

export const isoOf = (seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
export const secondsOf = (iso) => Date.parse(iso) / 1000;

// As the document stores moments: 14/11/2025 10:30:00.
export function brazilian(iso) {
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+)T(.*)Z$/.exec(iso);
  return `${day}/${month}/${year} ${time}`;
}

export const order = (order_id, more = {}) => ({
  order_id,
  client_id: 'client_1',
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: 1.5,
  price: 45000,
  order_type: 'LIMIT',
  ...more,
});

export const execution = (execution_id, order_id, more = {}) => ({
  execution_id,
  order_id,
  client_id: 'client_1',
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'BUY',
  quantity: 0.5,
  price: 44999.5,
  commission: 2.25,
  executed_at: daysAgo(0),
  ...more,
});

export const position = (more = {}) => ({
  client_id: 'client_1',
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'LONG',
  quantity: 3.5,
  avg_entry_price: 44500,
  unrealized_pnl: -1750,
  realized_pnl: 500,
  ...more,
});

function keys(kind, id, at, { client_id, product_id, order_id, master_order_id }) {
  return {
    ...texts({ PK: `CLIENT#${client_id}`, SK: `${kind}#${at}#${id}`, entity_type: kind }),
    ...texts({ GSI1_PK: `PRODUCT#${product_id}`, GSI1_SK: at }),
    ...(master_order_id && texts({ GSI2_PK: `MASTER_ORDER#${master_order_id}`, GSI2_SK: at })),
    ...texts({ GSI3_PK: `ORDER#${order_id}`, GSI3_SK: at }),
  };
}

function values(attributes) {
  return Object.fromEntries(
    Object.entries(attributes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'number' ? N(value) : S(value)]),
  );
}

// Orders and executions as the table holds them, without version and expiry.
export const orderItem = (body, created_at, updated_at = created_at) => ({
  ...keys('ORDER', body.order_id, created_at, body),
  ...values({ status: 'NEW', ...body }),
  ...texts({ created_at: brazilian(created_at), updated_at: brazilian(updated_at) }),
});

export const executionItem = (body) => ({
  ...keys('EXECUTION', body.execution_id, body.executed_at, body),
  ...values({ ...body, executed_at: brazilian(body.executed_at) }),
});

export const orderPath = ({ client_id, created_at, order_id }) =>
  `/clients/${client_id}/orders/${encodeURIComponent(created_at)}/${order_id}`;
