import createClient from 'openapi-fetch';

import { data, endpoint, same, written } from './expect';
import type { paths } from './generated/blog';
import * as hey from './generated/hey/blog';
import { client } from './generated/hey/blog/client.gen';

const baseUrl = `${endpoint}/api/v1/blog`;

async function withFetch() {
  const api = createClient<paths>({ baseUrl });
  const post = data(await api.POST('/posts', { body: { title: 'Olá', categoryId: 'cat-123' } }));
  const path = { postId: post.postId };
  same(data(await api.GET('/posts/{postId}', { params: { path } })).title, 'Olá');
  const query = { status: 'DRAFT' as const, filters: { title: 'Olá' } };
  same(data(await api.GET('/posts', { params: { query } })).items.length, 1);
  const params = { path };
  same(data(await api.PATCH('/posts/{postId}', { params, body: { title: 'Oi' } })).title, 'Oi');
  const published = data(await api.POST('/posts/{postId}:publish', { params }));
  same(written(published).status, 'PUBLISHED');
}

async function withHey() {
  client.setConfig({ baseUrl });
  const post = data(await hey.postCreate({ body: { title: 'Até', categoryId: 'cat-123' } }));
  const path = { postId: post.postId };
  same(data(await hey.getPost({ path })).title, 'Até');
  const query = { status: 'DRAFT' as const, filters: { title: 'Até' } };
  same(data(await hey.postsByStatus({ query })).items.length, 1);
  same(data(await hey.postPatch({ path, body: { title: 'Já' } })).title, 'Já');
  const liked = await hey.likePost({ path, body: { like: { userId: 'user-123' } } });
  same(data(liked).results.length, 2);
}

withFetch().then(withHey);
