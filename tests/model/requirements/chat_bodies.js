// What the tests of the chat design send, and where it ends up.

import { S, texts } from './rest.js';

export const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const file = (more = {}) => ({
  userId: 'user-1',
  name: 'car.pdf',
  type: 'application/pdf',
  size: 1024,
  s3Key: 'tenant-1/files/car.pdf',
  ...more,
});

export const document = (more = {}) => ({
  conversationId: 'conversation-1',
  messageId: uuid(1),
  userId: 'user-1',
  type: 'REPORT',
  title: 'Relatório',
  s3Key: 'tenant-1/documents/r.pdf',
  ...more,
});

const audit = (createdAt) => texts({ createdAt, updatedAt: createdAt });

// Items as the table holds them, for what is to have a time of its own.
export const conversationItem = (tenantId, id, userId, createdAt) => ({
  ...texts({ PK: `TENANT#${tenantId}`, SK: `CONVERSATION#${id}`, id, tenantId, userId }),
  ...texts({ GSI1PK: `USER#${userId}`, GSI1SK: `CONVERSATION#${createdAt}` }),
  ...texts({ GSI2PK: `TENANT#${tenantId}#CONVERSATION`, GSI2SK: createdAt }),
  title: S(`Conversa ${id}`),
  status: S('ACTIVE'),
  ...audit(createdAt),
});

export const messageItem = (tenantId, conversationId, createdAt, id = uuid(9)) => ({
  ...texts({ PK: `CONVERSATION#${conversationId}`, SK: `MESSAGE#${createdAt}` }),
  ...texts({ GSI1PK: `TENANT#${tenantId}`, GSI1SK: `CONVERSATION#${conversationId}#${createdAt}` }),
  ...texts({ id, tenantId, conversationId, role: 'USER', content: `${tenantId}: olá`, createdAt }),
});

function byConversationAndUser(kind, tenantId, id, { conversationId, userId }, createdAt) {
  return {
    ...texts({ PK: `TENANT#${tenantId}`, SK: `${kind}#${id}`, id, tenantId, userId }),
    ...(conversationId &&
      texts({
        GSI1PK: `CONVERSATION#${conversationId}`,
        GSI1SK: `${kind}#${createdAt}`,
        conversationId,
      })),
    ...texts({ GSI2PK: `USER#${userId}`, GSI2SK: `${kind}#${createdAt}` }),
    ...audit(createdAt),
  };
}

export const fileItem = (tenantId, id, of, createdAt) => ({
  ...byConversationAndUser('FILE', tenantId, id, of, createdAt),
  ...texts({ name: `${id}.pdf`, type: 'application/pdf', s3Key: id, status: 'READY' }),
  size: { N: '1' },
});

export const documentItem = (tenantId, id, of, createdAt) => ({
  ...byConversationAndUser('DOCUMENT', tenantId, id, of, createdAt),
  ...texts({ messageId: uuid(1), type: 'REPORT', title: id, s3Key: id }),
});
