import createClient from 'openapi-fetch';

import { data, endpoint, same } from './expect';
import type { paths } from './generated/chat';
import * as hey from './generated/hey/chat';
import { client } from './generated/hey/chat/client.gen';

const baseUrl = `${endpoint}/api/v1/chat`;
const headers = { tenant: 'tenant-1' };
const message = {
  id: '00000000-0000-4000-8000-000000000001',
  role: 'USER' as const,
  content: 'Olá',
};

async function withFetch() {
  const api = createClient<paths>({ baseUrl, headers });
  const made = data(
    await api.POST('/conversations', { body: { userId: 'user-1', title: 'Soja' } }),
  );
  const path = { conversationId: made.conversationId };
  const params = { path };
  same(data(await api.GET('/conversations/{conversationId}', { params })).title, 'Soja');
  const query = { filters: { title: 'contains.oj' } };
  const listed = await api.GET('/users/{userId}/conversations', {
    params: { path: { userId: 'user-1' }, query },
  });
  same(data(listed).items.length > 0, true);
  const body = { title: 'Milho' };
  same(data(await api.PATCH('/conversations/{conversationId}', { params, body })).title, 'Milho');
  data(await api.POST('/conversations/{conversationId}:post', { params, body: { message } }));
}

async function withHey() {
  client.setConfig({ baseUrl, headers });
  const made = data(await hey.conversationCreate({ body: { userId: 'user-2', title: 'Café' } }));
  const path = { conversationId: made.conversationId };
  same(data(await hey.getConversation({ path })).title, 'Café');
  const query = { filters: { title: 'contains.fé' } };
  same(data(await hey.conversationsOfUser({ path: { userId: 'user-2' }, query })).items.length, 1);
  same(data(await hey.conversationPatch({ path, body: { title: 'Chá' } })).title, 'Chá');
  data(await hey.postMessage({ path, body: { message } }));
}

withFetch().then(withHey);
