import createClient from 'openapi-fetch';

import { data, endpoint, same, written } from './expect';
import type { paths } from './generated/orders';
import * as hey from './generated/hey/orders';
import { client } from './generated/hey/orders/client.gen';

const baseUrl = `${endpoint}/api/v1/orders`;
const cnpj = '12.345.678/0001-99'; // with a slash, which paths must escape
const complete = (order_id: string) => ({
  order: { order_id, company_name: 'Agro S.A.', order_date: '2023-11-05T08:15:00Z' },
  customer: { cpf: '123.456.789-00', first_name: 'João', last_name: 'Lima' },
  shipping: { city: 'São Paulo', expected_delivery_date: '2023-11-08' },
  payment: { payment_method: 'Pix' },
  items: [{ product_id: 'PRD-1', quantity: 2 }],
});

async function withFetch() {
  const api = createClient<paths>({ baseUrl });
  const order_id = 'ORD-20240101-0001';
  const path = { cnpj, order_id };
  const body = complete(order_id);
  data(await api.POST('/orders/{cnpj}:complete', { params: { path: { cnpj } }, body }));
  same(data(await api.GET('/orders/{cnpj}/{order_id}', { params: { path } })).order_id, order_id);
  const query = { filters: { quantity: 'ge.2' } };
  const items = await api.GET('/orders/{cnpj}/{order_id}/items', { params: { path, query } });
  same(data(items).items.length, 1);
  const one = { ...path, product_id: 'PRD-1' };
  const patched = await api.PATCH('/orders/{cnpj}/{order_id}/items/{product_id}', {
    params: { path: one },
    body: { quantity: 3 },
  });
  same(data(patched).quantity, 3);
  const moved = await api.POST('/orders/{cnpj}/{order_id}/status', {
    params: { path },
    body: { to: 'AguardandoEstoque' },
  });
  same(written(data(moved)).order_status, 'AguardandoEstoque');
}

async function withHey() {
  client.setConfig({ baseUrl });
  const order_id = 'ORD-20240101-0002';
  const path = { cnpj, order_id };
  data(await hey.createOrder({ path: { cnpj }, body: complete(order_id) }));
  same(data(await hey.getOrder({ path })).order_id, order_id);
  same(
    data(await hey.itemsOfOrder({ path, query: { filters: { quantity: 'ge.2' } } })).items.length,
    1,
  );
  const patched = await hey.orderItemPatch({
    path: { ...path, product_id: 'PRD-1' },
    body: { quantity: 3 },
  });
  same(data(patched).quantity, 3);
  const moved = await hey.changeOrderStatus({ path, body: { to: 'AguardandoEstoque' } });
  same(written(data(moved)).order_status, 'AguardandoEstoque');
}

withFetch().then(withHey);
