// `monotable model estimate` against what the server meters: every kind of write of the five
// designs, with all that their rules check and bring along. All items are smaller than 1 KB, so the
// units tell how many items and index entries a write has.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { runBinary, temporaryFolder } from '../support/server.js';
import { modelPath } from './designs.js';
import * as orders from './requirements/orders_bodies.js';
import { rest, serve } from './requirements/rest.js';
import * as sales from './requirements/sales_requests.js';
import * as trading from './requirements/trading_bodies.js';
import * as chat from './requirements/chat_bodies.js';

const folder = temporaryFolder();
after(() => rmSync(folder, { recursive: true, force: true }));

// The units of each rate, as the estimate of a design with this workload says them.
async function estimates(design, rates, entities) {
  const own = [
    'workload:',
    '  volumes:',
    ...entities.map((name) => `    ${name}: {total: 1, bytes: 900}`),
    '  rates:',
    ...rates.map(({ what, items = 1 }) => `    ${what}: {rate: 1/day, items: ${items}}`),
    '',
  ];
  const text = readFileSync(modelPath(design), 'utf8')
    .replace(/^workload:[^]*?(?=^\S|(?![^]))/m, own.join('\n'))
    .replace(/^samples:.*$/m, '');
  const path = join(folder, `${design}.model.yaml`);
  writeFileSync(path, text);
  const { code, output, errors } = await runBinary(['model', 'estimate', path]);
  assert.equal(code, 0, errors);
  const units = {};
  for (const { what } of rates) {
    const line = output.split('\n').find((each) => each.startsWith(`  ${what} `));
    assert.ok(line, `${what} in\n${output}`);
    const [, , count, , how] = line.trim().split(/ {2,}/);
    units[what] = { count: Number(count), how };
  }
  return units;
}

// Runs the writes of a design in order. Each says what the estimate calls it and how much more the
// estimate may say: where an id is counted, X-Consumed-Capacity leaves out the write of the counter;
// where an attribute is not given, an index or a reference is not written or checked.
async function compare(design, args, headers, writes) {
  const server = await serve(design, { args });
  const api = rest(server, { headers });
  const model = readFileSync(modelPath(design), 'utf8');
  const entities = /^entities:\n([^]*?)^\S/m.exec(model)[1].match(/^ {2}(\w+)(?=:)/gm);
  const estimated = await estimates(
    design,
    writes.filter(({ what }) => what),
    entities.map((name) => name.trim()),
  );
  for (const { what, run, more = 0 } of writes) {
    const answer = await run(api);
    assert.ok(answer.status < 300, `${what}: ${answer.text}`);
    if (!what) continue;
    const metered = Number(answer.headers['x-consumed-capacity']);
    const { count, how } = estimated[what];
    assert.equal(count, metered + more, `${what}: estimated ${count} (${how}), metered ${metered}`);
  }
}

test('writes of sales cost what the estimate says', async () => {
  const buyer = (more) => sales.newBuyer(more);
  await compare('sales', [], {}, [
    // The first numbers are those of the samples, which a create finds taken.
    { run: (api) => api.post('/buyers', buyer()) },
    { run: (api) => api.post('/producers', sales.newProducer()) },
    { run: (api) => api.post('/sales', sales.newSale()) },
    { what: 'create Buyer', more: 1, run: (api) => api.post('/buyers', buyer()) },
    { what: 'createBuyer', more: 1, run: (api) => api.post('/buyers:create', { buyer: buyer() }) },
    { what: 'update Buyer', run: (api) => api.patch('/buyers/BUYER002', { Notes: 'x' }) },
    { what: 'delete Buyer', run: (api) => api.del('/buyers/BUYER002') },
    { what: 'create Producer', more: 1, run: (api) => api.post('/producers', sales.newProducer()) },
    { what: 'create Sale', more: 1, run: (api) => api.post('/sales', sales.newSale()) },
    {
      what: 'createSale',
      more: 1,
      items: 3,
      run: (api) =>
        api.post('/sales:withLines', {
          sale: sales.newSale(),
          lines: [1, 2, 3].map((n) => sales.newLine(n)),
        }),
    },
    { what: 'create SaleLine', run: (api) => api.post('/sales/SALE004/lines', sales.newLine(4)) },
    {
      what: 'update SaleLine',
      // The discounts and the tax stay, but all four sums are in one item.
      run: (api) => api.patch('/sales/SALE004/lines/4', { Quantity: 7 }),
    },
    { what: 'delete SaleLine', run: (api) => api.del('/sales/SALE004/lines/4') },
    {
      what: 'addLine',
      run: (api) => api.post('/sales/SALE004/lines:add', { line: sales.newLine(5) }),
    },
    {
      what: 'changeLine',
      run: (api) =>
        api.post('/sales/SALE004/lines/5:change', {
          Quantity: 3,
          UnitPrice: 4,
          Discount: 1,
          Tax: 1,
        }),
    },
    { what: 'removeLine', run: (api) => api.post('/sales/SALE004/lines/5:remove', {}) },
    { what: 'updateSale', run: (api) => api.post('/sales/SALE004:revise', { Notes: 'y' }) },
    { what: 'update Sale', run: (api) => api.patch('/sales/SALE004', { Status: 'CONFIRMED' }) },
    {
      what: 'issueInvoice',
      run: (api) => api.post('/sales/SALE004/invoice:issue', { invoice: sales.newInvoice() }),
    },
    {
      what: 'update InvoiceMetadata',
      run: (api) => api.patch('/sales/SALE004/invoice', { Status: 'PENDING_AUTHORIZATION' }),
    },
    {
      what: 'authorizeInvoice',
      run: (api) => api.post('/sales/SALE004/invoice:authorize', { AuthorizationProtocol: 'P1' }),
    },
    { run: (api) => api.post('/sales/SALE002/lines', sales.newLine(1)) },
    { run: (api) => api.post('/sales/SALE002/invoice', sales.newInvoice()) },
    {
      what: 'changeSaleStatus',
      run: (api) => api.post('/sales/SALE002/status', { to: 'CONFIRMED' }),
    },
    // Of the four sales of the buyer, two are invoiced: they are checked, and their three entries stay.
    {
      what: 'renameBuyer',
      items: 4,
      more: 2 * 3,
      run: (api) => api.post('/buyers/BUYER001:rename', { Name: 'Outro nome' }),
    },
    { what: 'delete Sale', run: (api) => api.del('/sales/SALE002?cascade=collection') },
  ]);
});

test('writes of orders cost what the estimate says', async () => {
  const path = orders.orderPath(orders.COMPANY, 'ORD-20240101-0001');
  await compare('orders', [], {}, [
    {
      what: 'createOrder',
      items: 2,
      run: (api) =>
        api.post(
          orders.completePath(orders.COMPANY),
          orders.complete('ORD-20240101-0001', {
            items: { 'PRD-1': undefined, 'PRD-2': undefined },
          }),
        ),
    },
    {
      what: 'changeOrderStatus',
      run: (api) => api.post(`${path}/status`, { to: 'AguardandoEstoque' }),
    },
    {
      what: 'update OrderStatus',
      run: (api) => api.patch(`${path}/status`, { order_status: 'AguardandoSeparacao' }),
    },
    { what: 'create OrderItem', run: (api) => api.post(`${path}/items`, { product_id: 'PRD-3' }) },
    {
      what: 'update OrderItem',
      run: (api) => api.patch(`${path}/items/PRD-3`, { item_status: 'SemEstoque' }),
    },
    {
      what: 'changeItemStatus',
      run: (api) => api.post(`${path}/items/PRD-2/status`, { to: 'SemEstoque' }),
    },
    { what: 'delete OrderItem', run: (api) => api.del(`${path}/items/PRD-3`) },
    {
      what: 'create Payment',
      run: (api) => api.post(`${path}/payments`, { payment_method: 'Boleto' }),
    },
    {
      what: 'changePaymentMethod',
      run: (api) => api.post(`${path}/payments/Boleto:move`, { to: 'Cheque' }),
    },
    { run: (api) => api.del(`${path}/payments/Cheque`) },
    {
      what: 'changeDelivery',
      run: (api) =>
        api.post(`${path}/shipping:move`, {
          city: 'Goiânia',
          expected_delivery_date: '2023-12-01',
        }),
    },
    {
      what: 'changeCustomer',
      run: (api) => {
        const { cpf, first_name, last_name } = orders.customer('111.222.333-44');
        return api.post(`${path}/customer:move`, { cpf, first_name, last_name });
      },
    },
    { what: 'update Order', run: (api) => api.patch(path, { notes: 'Portaria 3' }) },
    { run: (api) => api.del(`${path}/items/PRD-2`) },
    { what: 'delete Order', run: (api) => api.del(`${path}?cascade=collection`) },
  ]);
});

test('writes of blog cost what the estimate says', async () => {
  const post = { title: 'Um título', categoryId: 'cat-123', authorId: 'user-123' };
  let postId;
  let commentId;
  const made = async (api, body) => {
    const answer = await api.post('/posts', body);
    postId = answer.body.postId;
    return answer;
  };
  await compare('blog', [], {}, [
    {
      what: 'create User',
      run: (api) => api.post('/users', { userId: 'u2', email: 'u2@example.com', name: 'Zé' }),
    },
    { what: 'update User', run: (api) => api.patch('/users/u2', { bio: 'Olá' }) },
    { what: 'create Post', run: (api) => made(api, post) },
    {
      what: 'addComment',
      run: async (api) => {
        const comment = { userId: 'u2', content: 'Ótimo' };
        const answer = await api.post(`/posts/${postId}:comment`, { comment });
        const page = await api.get(`/posts/${postId}/comments`);
        commentId = page.body.items[0].commentId;
        return answer;
      },
    },
    {
      what: 'likePost',
      run: (api) => api.post(`/posts/${postId}:like`, { like: { userId: 'u2' } }),
    },
    { what: 'publishPost', run: (api) => api.post(`/posts/${postId}:publish`, {}) },
    { what: 'unlikePost', run: (api) => api.post(`/posts/${postId}/likes/u2:remove`, {}) },
    {
      what: 'removeComment',
      run: (api) => api.post(`/posts/${postId}/comments/${commentId}:remove`, {}),
    },
    {
      what: 'create Comment',
      run: (api) => api.post(`/posts/${postId}/comments`, { userId: 'u2', content: 'Sim' }),
    },
    { what: 'create Like', run: (api) => api.post(`/posts/${postId}/likes`, { userId: 'u2' }) },
    { what: 'update Post', run: (api) => api.patch(`/posts/${postId}`, { status: 'ARCHIVED' }) },
    { what: 'delete Post', run: (api) => api.del(`/posts/${postId}?cascade=collection`) },
    { run: (api) => made(api, post) },
    {
      what: 'create Bookmark',
      run: (api) => api.post('/users/u2/bookmarks', { postId }),
    },
    {
      what: 'create Notification',
      run: (api) => api.post('/users/u2/notifications', { notificationId: 'n1', message: 'Olá' }),
    },
    { what: 'readNotification', run: (api) => api.post('/users/u2/notifications/n1:read', {}) },
    { what: 'delete User', run: (api) => api.del('/users/u2?cascade=collection') },
    {
      what: 'create Category',
      run: (api) => api.post('/categories', { categoryId: 'c2', slug: 'c2', name: 'C2' }),
    },
    { what: 'update Category', run: (api) => api.patch('/categories/c2', { name: 'C3' }) },
    { what: 'delete Category', run: (api) => api.del('/categories/c2') },
  ]);
});

test('writes of trading cost what the estimate says', async () => {
  let path;
  const order = (order_id) => trading.order(order_id, { master_order_id: 'm1', analyst_id: 'a1' });
  const made = async (answer) => {
    path = trading.orderPath(answer.body.Order ?? answer.body);
    return answer;
  };
  const booking = (id, status) => ({
    execution: trading.execution(id, 'o1', { master_order_id: 'm1' }),
    status,
    position: trading.position(),
  });
  await compare('trading', [], {}, [
    { what: 'create Order', run: async (api) => made(await api.post('/orders', order('o1'))) },
    { what: 'createOrder', run: (api) => api.post('/orders:create', { order: order('o2') }) },
    {
      what: 'createAnalystOrder',
      run: (api) => api.post('/orders:byAnalyst', { order: order('o3') }),
    },
    {
      what: 'bookFirstExecution',
      run: (api) => api.post(`${path}:executeFirst`, booking('e1', 'PARTIALLY_FILLED')),
    },
    {
      what: 'bookExecution',
      more: 1, // the position stays in its place in the index of its product
      run: (api) => {
        const body = booking('e2', 'FILLED');
        body.position.quantity = 4;
        return api.post(`${path}:execute`, body);
      },
    },
    { run: async (api) => made(await api.post('/orders', order('o4'))) },
    { what: 'changeOrderStatus', run: (api) => api.post(`${path}/status`, { to: 'FILLED' }) },
  ]);
});

test('writes of chat cost what the estimate says', async () => {
  let fileId;
  await compare('chat', ['--create-adopted'], { tenant: 'tenant-1' }, [
    {
      what: 'create User',
      run: (api) => api.post('/users', { cognitoId: 'u9', email: 'u9@example.com' }),
    },
    { what: 'update User', run: (api) => api.patch('/users/u9', { name: 'Zé' }) },
    { what: 'delete User', run: (api) => api.del('/users/u9') },
    {
      what: 'create Conversation',
      run: (api) => api.post('/conversations', { conversationId: 'c9', userId: 'user-1' }),
    },
    {
      what: 'postMessage',
      run: (api) =>
        api.post('/conversations/c9:post', {
          message: { id: chat.uuid(1), role: 'USER', content: 'Olá' },
        }),
    },
    {
      what: 'create Message',
      run: (api) =>
        api.post('/conversations/c9/messages', { id: chat.uuid(2), role: 'USER', content: 'Oi' }),
    },
    {
      what: 'registerFile',
      run: async (api) => {
        const answer = await api.post('/files:register', {
          file: chat.file({ fileId: 'f9', conversationId: 'conversation-1' }),
        });
        fileId = 'f9';
        return answer;
      },
    },
    {
      what: 'fileReady',
      run: (api) => api.post(`/files/${fileId}:ready`, { analysis: { pages: 1 } }),
    },
    { what: 'delete File', run: (api) => api.del(`/files/${fileId}`) },
  ]);
});
