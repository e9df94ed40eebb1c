import createClient from 'openapi-fetch';

import { data, endpoint, same, written } from './expect';
import type { paths } from './generated/trading';
import * as hey from './generated/hey/trading';
import { client } from './generated/hey/trading/client.gen';

const baseUrl = `${endpoint}/api/v1/trading`;
const order = (order_id: string) => ({
  order_id,
  client_id: order_id,
  product_id: 'prod_1',
  symbol: 'BTCUSDT',
  side: 'BUY' as const,
  quantity: 1.5,
  price: 45000,
  order_type: 'LIMIT',
});

async function withFetch() {
  const api = createClient<paths>({ baseUrl });
  const made = data(await api.POST('/orders', { body: order('f1') }));
  const path = { client_id: 'f1', order_id: 'f1', created_at: made.created_at ?? '' };
  const params = { path };
  const read = await api.GET('/clients/{client_id}/orders/{created_at}/{order_id}', { params });
  same(data(read).price, 45000);
  const query = { filters: { price: 'gt.1', side: 'BUY' } };
  const listed = await api.GET('/clients/{client_id}/orders', {
    params: { path: { client_id: 'f1' }, query },
  });
  same(data(listed).items.length, 1);
  const patched = await api.PATCH('/orders/{client_id}/{created_at}/{order_id}', {
    params,
    body: { price: 46000 },
  });
  same(data(patched).price, 46000);
  const changed = await api.POST('/clients/{client_id}/orders/{created_at}/{order_id}/status', {
    params,
    body: { to: 'CANCELLED' },
  });
  same(written(data(changed)).status, 'CANCELLED');
}

async function withHey() {
  client.setConfig({ baseUrl });
  const made = data(await hey.orderCreate({ body: order('h1') }));
  const path = { client_id: 'h1', order_id: 'h1', created_at: made.created_at ?? '' };
  same(data(await hey.getOrder({ path })).price, 45000);
  const query = { filters: { price: 'gt.1', side: 'BUY' } };
  const listed = await hey.ordersOfClient({ path: { client_id: 'h1' }, query });
  same(data(listed).items.length, 1);
  same(data(await hey.orderPatch({ path, body: { price: 46000 } })).price, 46000);
  const changed = await hey.changeOrderStatus({ path, body: { to: 'CANCELLED' } });
  same(written(data(changed)).status, 'CANCELLED');
}

withFetch().then(withHey);
