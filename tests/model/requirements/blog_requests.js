// Items of the blog design in DynamoDB's JSON, with times that a test chooses, and the table as its
// tests look at it. REST sets the times itself.

import { raw, rest, serve, shown, texts } from './rest.js';

export async function serveBlog() {
  const server = await serve('blog');
  return { server, api: rest(server), table: raw(server, 'portfolio-backend-table') };
}

export const shownOf = (item) => shown(item, { type: 'entityType', envelope: 'data' });

// Creates something and answers its body.
export const create = (api, path, body) => api.done(api.post(path, body), 201);

const entity = (entityType, at, keys, data) => ({
  ...texts(keys),
  ...texts({ entityType, createdAt: at, updatedAt: at }),
  data: { M: texts(data) },
});

const user = (userId, email) =>
  entity(
    'USER',
    '2026-01-01T00:00:00.000Z',
    { PK: `USER#${userId}`, SK: 'PROFILE', GSI1PK: `USER#${email}`, GSI1SK: 'PROFILE' },
    { userId, email, name: `Nome de ${userId}` },
  );

const category = (categoryId, slug) =>
  entity(
    'CATEGORY',
    '2026-01-01T00:00:00.000Z',
    {
      PK: `CATEGORY#${categoryId}`,
      SK: 'METADATA',
      GSI1PK: `CATEGORY#SLUG#${slug}`,
      GSI1SK: 'METADATA',
    },
    { categoryId, slug, name: slug },
  );

const post = (postId, status, categoryId, at) =>
  entity(
    'POST',
    at,
    {
      PK: `POST#${postId}`,
      SK: 'METADATA',
      GSI1PK: `POST#STATUS#${status}`,
      GSI1SK: at,
      GSI2PK: `CATEGORY#${categoryId}`,
      GSI2SK: `POST#${at}`,
    },
    { postId, title: `Título ${postId}`, status, categoryId },
  );

const comment = (postId, commentId, userId, at) =>
  entity(
    'COMMENT',
    at,
    {
      PK: `POST#${postId}`,
      SK: `COMMENT#${commentId}`,
      GSI1PK: `COMMENT#${userId}`,
      GSI1SK: `POST#${at}`,
    },
    { postId, commentId, userId, content: 'Ótimo!' },
  );

const like = (postId, userId, at) =>
  entity(
    'LIKE',
    at,
    {
      PK: `POST#${postId}`,
      SK: `LIKE#${userId}`,
      GSI1PK: `USER#${userId}`,
      GSI1SK: `LIKE#${at}`,
    },
    { postId, userId },
  );

const notification = (userId, notificationId, at) =>
  entity(
    'NOTIFICATION',
    at,
    {
      PK: `USER#${userId}`,
      SK: `NOTIFICATION#${notificationId}`,
      GSI1PK: `USER#${userId}`,
      GSI1SK: `NOTIFICATION#${at}`,
    },
    { userId, notificationId, message: 'Novo comentário', status: 'UNREAD' },
  );

const bookmark = (userId, postId, at) =>
  entity(
    'BOOKMARK',
    at,
    {
      PK: `USER#${userId}`,
      SK: `BOOKMARK#${postId}`,
      GSI1PK: `USER#${userId}`,
      GSI1SK: `BOOKMARK#${at}`,
    },
    { userId, postId },
  );

export const items = { user, category, post, comment, like, notification, bookmark };

// An item with another value of an attribute in its map.
export const withData = (item, more) => ({
  ...item,
  data: { M: { ...item.data.M, ...more } },
});
