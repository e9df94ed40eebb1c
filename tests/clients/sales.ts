import createClient from 'openapi-fetch';

import { data, endpoint, same, written } from './expect';
import type { paths } from './generated/sales';
import * as hey from './generated/hey/sales';
import { client } from './generated/hey/sales/client.gen';

const baseUrl = `${endpoint}/api/v1/sales`;
const line = {
  LineNumber: 1,
  ProductCode: 'P',
  ProductName: 'Soja',
  Quantity: 2,
  Unit: 'KG',
  UnitPrice: 5,
};
const sale = { BuyerId: 'BUYER001', ProducerId: 'PRODUCER001', SaleDate: '2026-03-01T12:00:00Z' };

async function withFetch() {
  const api = createClient<paths>({ baseUrl });
  const buyer = data(
    await api.POST('/buyers', { body: { Name: 'Grãos & Cia', Document: '11.111.111/0001-11' } }),
  );
  const path = { BuyerId: buyer.BuyerId };
  same(data(await api.GET('/buyers/{BuyerId}', { params: { path } })).Name, 'Grãos & Cia');
  const query = { filters: { Document: '11.111.111/0001-11' }, limit: 5 };
  same(data(await api.GET('/buyers', { params: { query } })).items.length, 1);
  const patched = await api.PATCH('/buyers/{BuyerId}', {
    params: { path },
    body: { Notes: 'ok', $add: { CreditLimit: 5 } },
  });
  same(data(patched).CreditLimit, 5);
  const created = data(await api.POST('/sales:withLines', { body: { sale, lines: [line] } }));
  same(written(created).Total, 10);
  const found = { filters: { Total: 'gte.10' } };
  same(data(await api.GET('/sales', { params: { query: found } })).items.length > 0, true);
  await api.DELETE('/buyers/{BuyerId}', { params: { path } });
  same((await api.GET('/buyers/{BuyerId}', { params: { path } })).error?.status, 404);
}

async function withHey() {
  client.setConfig({ baseUrl });
  const body = { Name: 'Água Ltda', Document: '22.222.222/0001-22' };
  const buyer = data(await hey.buyerCreate({ body }));
  const path = { BuyerId: buyer.BuyerId };
  same(data(await hey.getBuyer({ path })).Name, 'Água Ltda');
  same(
    data(await hey.listBuyers({ query: { filters: { Name: 'begins_with.Á' } } })).items.length,
    1,
  );
  const patched = await hey.buyerPatch({ path, body: { Notes: null, $add: { CreditLimit: 5 } } });
  same(data(patched).CreditLimit, 5);
  const created = data(await hey.createSale({ body: { sale, lines: [line] } }));
  const SaleId = String(written(created).SaleId);
  same(data(await hey.saleFull({ path: { SaleId } })).lines?.length, 1);
  const moved = await hey.changeSaleStatus({ path: { SaleId }, body: { to: 'CONFIRMED' } });
  same(written(data(moved)).Status, 'CONFIRMED');
  same(
    (await hey.changeSaleStatus({ path: { SaleId }, body: { to: 'DRAFT' } })).error?.code,
    'illegal_transition',
  );
}

withFetch().then(withHey);
