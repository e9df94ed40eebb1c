// The designs of models/examples, served with their samples: each rule through REST, under two
// clients at once, and as raw DynamoDB writes, which `rules: enforce` refuses in the same way.

import assert from 'node:assert/strict';
import { dirname, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { runBinary, startServer } from '../support/server.js';
import { problem, raw, rest } from './requirements/rest.js';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../../models/examples');
const modelOf = (name) => resolve(folder, `${name}.model.yaml`);

const servers = [];
after(async () => {
  for (const server of servers) await server.stop();
});

async function serve(name, table, headers = {}) {
  const args = ['--model', modelOf(name), '--samples'];
  const server = await startServer({ inMemory: true, args });
  servers.push(server);
  return { server, api: rest(server, { headers }), table: raw(server, table) };
}

// Two clients send a request each at the same time; one is refused with the code.
async function onlyOne(requests, code) {
  const answers = await Promise.all(requests.map((send) => send()));
  const done = answers.filter(({ status }) => status < 300);
  const refused = answers.filter(({ status }) => status >= 400);
  assert.equal(done.length, 1, answers.map(({ text }) => text).join('\n'));
  assert.deepEqual(
    refused.map(({ body }) => body.code),
    [code],
  );
  return done[0];
}

for (const name of ['projects', 'helpdesk', 'hotel']) {
  test(`${name} has no findings, and its examples hold`, async () => {
    const checked = await runBinary(['model', 'check', '--strict', modelOf(name)]);
    assert.equal(checked.code, 0, checked.output + checked.errors);
    const tested = await runBinary(['model', 'test', modelOf(name)]);
    assert.equal(tested.code, 0, tested.output + tested.errors);
    // Every pattern has at least one example.
    const patterns = new Set([...checked.output.matchAll(/(\d+) patterns/g)].map(([, n]) => n));
    const named = new Set([...tested.output.matchAll(/^ok +(\w+) /gm)].map(([, id]) => id));
    assert.deepEqual([...patterns], [String(named.size)]);
  });
}

test('projects: sums, names and charters belong to one project of the tree', async () => {
  const { api, table } = await serve('projects', 'Projects');
  const org = '/organisations/acme';
  const site = `${org}/projects/site`;
  // A task counts in its own project, not in its sibling whose id begins in the same way.
  await api.done(
    api.post(`${site}/tasks`, { taskId: 'T-3', title: 'Fotos', due: '2026-12-01', estimate: 5.5 }),
  );
  const project = await api.item(site);
  assert.deepEqual([project.planned, project.tasks], [17.5, 3]);
  const sibling = await api.item(`${org}/projects/site-novo`);
  assert.deepEqual([sibling.planned, sibling.tasks], [100, 1]);
  // Two clients want the hours that are left: 22.5 of 40.
  const task = (taskId) => () =>
    api.post(`${site}/tasks`, { taskId, title: taskId, due: '2026-12-02', estimate: 20 });
  await onlyOne([task('T-4'), task('T-5')], 'rule_failed');
  assert.equal((await api.item(site)).planned, 37.5);
  // A project has one charter, and a name once in its organisation, with or without accents.
  const novo = `${org}/projects/site-novo`;
  const charter = (goal) => () => api.post(`${novo}/charter`, { goal });
  await onlyOne([charter('a'), charter('b')], 'already_exists');
  const named = (projectId) => () => api.post(`${org}/projects`, { projectId, name: 'Migração' });
  await onlyOne([named('m1'), named('m2')], 'not_unique');
  assert.equal((await api.item(org)).projects, 3);
  // The state of a task.
  await problem(api.patch(`${site}/tasks/T-1`, { state: 'DONE' }), 409, 'illegal_transition');
  await api.done(api.patch(`${site}/tasks/T-1`, { state: 'DOING' }));
  const comment = { commentId: 'C-2', author: 'ana', text: 'Feito!' };
  await api.done(api.post(`${site}/tasks/T-1:finish`, { comment }));
  const done = await api.item(`${site}/tasks/T-1`);
  assert.deepEqual([done.state, done.comments], ['DONE', 2]);
  // Raw writes: a task of no project, and a task whose keys are not those of its attributes.
  const item = (projectId, SK) => ({
    PK: { S: 'ORG#acme' },
    SK: { S: SK },
    kind: { S: 'Task' },
    orgId: { S: 'acme' },
    projectId: { S: projectId },
    taskId: { S: 'R-1' },
    title: { S: 'Crua' },
    due: { S: '2026-12-01' },
    state: { S: 'OPEN' },
  });
  await assert.rejects(table.put(item('nenhum', 'TASK#nenhum#R-1')), /ValidationException/);
  await assert.rejects(table.put(item('site', 'TASK#outro#R-1')), /ValidationException/);
  await table.put(item('site-novo', 'TASK#site-novo#R-1'));
  assert.equal((await api.item(novo)).tasks, 2);
  // The tree of a project goes with it, and only that.
  await problem(api.del(site), 409, 'restricted');
  await api.done(api.del(`${site}?cascade=collection`));
  assert.deepEqual(await api.list(`${site}/tasks`), []);
  assert.deepEqual(await api.list(`${site}/tasks/T-1/comments`), []);
  assert.equal((await api.list(`${novo}/tasks`)).length, 2);
  assert.equal((await api.item(org)).projects, 2);
});

test('helpdesk: tenants use the same ids side by side', async () => {
  const { server, api, table } = await serve('helpdesk', 'Helpdesk', { tenant: 'acme' });
  const beta = rest(server, { headers: { tenant: 'beta' } });
  assert.equal((await api.item('/agents/ana')).name, 'Ana Souza');
  assert.equal((await beta.item('/agents/ana')).name, 'Ana Reis');
  // An e-mail is unique within its tenant, whatever its case.
  const hired = (agentId, email) => () => api.post('/agents', { agentId, name: 'Caio', email });
  await onlyOne([hired('c1', 'caio@x.example'), hired('c2', 'Caio@X.example')], 'not_unique');
  await beta.done(beta.post('/agents', { agentId: 'c1', name: 'C', email: 'caio@x.example' }));
  // A ticket needs an active agent of its own tenant.
  const body = {
    ticketId: 'K-9',
    subject: 'Olá',
    customer: 'c@example.com',
    answerBy: '2099-01-01T00:00:00Z',
  };
  await api.done(api.post('/tickets', body));
  await problem(api.patch('/tickets/K-9', { state: 'OPEN' }), 422, 'rule_failed');
  await problem(beta.get('/tickets/K-9'), 404, 'not_found');
  await problem(beta.post('/tickets/K-9:assign', { agentId: 'ana' }), 404, 'not_found');
  await api.done(api.patch('/agents/bia', { active: false }));
  await problem(api.post('/tickets/K-9:assign', { agentId: 'bia' }), 422, 'rule_failed');
  await api.done(api.post('/tickets/K-9:assign', { agentId: 'ana' }));
  const assigned = await api.item('/tickets/K-9');
  assert.deepEqual([assigned.agentName, assigned.state], ['Ana Souza', 'OPEN']);
  // A new name reaches the tickets that are not closed, and no other tenant's.
  const closed = { ticketId: 'K-0', agentId: 'ana', state: 'CLOSED' };
  await api.done(api.post('/tickets', { ...body, ...closed }));
  await api.done(api.patch('/agents/ana', { name: 'Ana Lúcia' }));
  const names = (await api.list('/agents/ana/tickets')).map((each) => [
    each.ticketId,
    each.agentName,
  ]);
  assert.deepEqual(Object.fromEntries(names), {
    'K-0': 'Ana Souza',
    'K-1': 'Ana Lúcia',
    'K-2': 'Ana Lúcia',
    'K-9': 'Ana Lúcia',
  });
  assert.equal((await beta.item('/tickets/K-1')).agentName, 'Ana Reis');
  // Replies are counted under two clients.
  const reply = (text) => api.post('/tickets/K-1/replies', { text });
  const replies = await Promise.all([reply('um'), reply('dois')]);
  for (const { status, text } of replies) assert.equal(status, 201, text);
  assert.equal((await api.item('/tickets/K-1')).replies, 3);
  await api.done(api.post('/tickets/K-1:answer', { reply: { text: 'três' } }));
  const answered = await api.item('/tickets/K-1');
  assert.deepEqual([answered.state, answered.replies], ['WAITING', 4]);
  assert.equal((await beta.item('/tickets/K-1')).replies, 0);
  // An agent with tickets stays.
  await problem(api.del('/agents/ana'), 409, 'restricted');
  // A raw write may not move a ticket where its state does not lead, or past the unique value.
  const key = { PK: { S: 'T#acme#AGENT#raw' }, SK: { S: '#AGENT' } };
  const agent = (email) => ({
    ...key,
    kind: { S: 'Agent' },
    tenantId: { S: 'acme' },
    agentId: { S: 'raw' },
    name: { S: 'Raw' },
    email: { S: email },
    active: { BOOL: true },
    GSI1PK: { S: 'T#acme#AGENTS' },
    GSI1SK: { S: 'raw#raw' },
  });
  await assert.rejects(table.put(agent('ANA@acme.example')), /ValidationException|Transaction/);
  await table.put(agent('raw@acme.example'));
});

test('hotel: a night of a room is sold once', async () => {
  const { api, table } = await serve('hotel', 'Hotels');
  const night = (date, roomId = '102') => ({ date, roomId, hotelId: 'praia' });
  const stay = (guest, stayId) => ({
    stayId,
    hotelId: 'praia',
    guest,
    arrival: '2026-12-24',
    departure: '2026-12-26',
  });
  const book = (stayId) => () =>
    api.post('/stays:book', {
      stay: stay('ze@example.com', stayId),
      nights: [night('2026-12-24'), night('2026-12-25')],
    });
  // Of two guests who want the same nights, one gets all of them and the other none.
  const first = await onlyOne([book('S-8'), book('S-9')], 'not_unique');
  const { stayId } = first.body.results[0].item;
  const sold = await api.item(`/stays/${stayId}`);
  assert.deepEqual([sold.total, sold.nights, sold.state], [1041, 2, 'HELD']);
  assert.equal((await api.list('/hotels/praia/nights/2026-12-24')).length, 1);
  await problem(api.get(`/stays/${stayId === 'S-8' ? 'S-9' : 'S-8'}`), 404, 'not_found');
  // Another hotel has a room of the same number, but not yet.
  const other = { ...night('2026-12-24'), hotelId: 'serra' };
  await problem(
    api.post(`/stays/${stayId}/nights`, { ...other, date: '2026-12-26' }),
    409,
    'missing_reference',
  );
  // The total follows, and a night that is given up can be sold again.
  await api.done(api.del(`/stays/${stayId}/nights/2026-12-25`));
  assert.equal((await api.item(`/stays/${stayId}`)).total, 520.5);
  await api.done(api.post('/stays/S-1/nights', night('2026-12-25')));
  // States.
  await api.done(api.post(`/stays/${stayId}:pay`, {}));
  await problem(api.patch(`/stays/${stayId}`, { state: 'LEFT' }), 409, 'illegal_transition');
  const backwards = { arrival: '2026-12-26', departure: '2026-12-24' };
  await problem(api.patch(`/stays/${stayId}`, backwards), 422, 'rule_failed');
  // Only a stay that is over expires.
  const key = [`STAY#${stayId}`, '#STAY'];
  assert.equal((await table.get(...key)).expires, undefined);
  await api.done(api.patch(`/stays/${stayId}`, { state: 'CANCELLED' }));
  assert.ok((await table.get(...key)).expires.N);
  // A raw write sells no night twice.
  const item = {
    PK: { S: 'STAY#S-1' },
    SK: { S: 'NIGHT#2026-12-24' },
    kind: { S: 'Night' },
    stayId: { S: 'S-1' },
    date: { S: '2026-12-24' },
    hotelId: { S: 'praia' },
    roomId: { S: '102' },
    price: { N: '1' },
    GSI1PK: { S: 'HOTEL#praia#NIGHT#2026-12-24' },
    GSI1SK: { S: 'ROOM#102' },
  };
  await assert.rejects(table.put(item), /ValidationException|Transaction/);
});
