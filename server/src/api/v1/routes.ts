import { readAccount } from './account/account.ts';
import { createKey, deleteKey, readKeys } from './account/keys.ts';
import { contactRoutes } from './contacts/contacts.ts';
import { dropRoutes } from './drops/drops.ts';
import { eventRoutes } from './events/events.ts';
import { inboxRoutes } from './inbox/inbox.ts';
import { linkRoutes } from './link/link.ts';
import { requestRoutes } from './requests/requests.ts';
import type { KeyRoute, Route } from './route.ts';
import { listReceipts } from './sent/receipts.ts';
import { testRoutes } from './test/messages.ts';
import { uploadRoutes } from './uploads/uploads.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

/** The operations of programs with an account. */
export const keyRoutes: readonly KeyRoute[] = [
  readAccount,
  readKeys,
  createKey,
  deleteKey,
  ...dropRoutes,
  ...requestRoutes,
  listReceipts,
  ...uploadRoutes,
  ...inboxRoutes,
  ...contactRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...testRoutes,
];

/** Every operation of /api/v1. */
export const routes: readonly Route[] = [...keyRoutes, ...linkRoutes];
