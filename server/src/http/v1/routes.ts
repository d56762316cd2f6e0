import { readAccount } from './account.ts';
import { contactRoutes } from './contacts.ts';
import { dropRoutes } from './drops.ts';
import { listEvents } from './events.ts';
import { inboxRoutes } from './inbox.ts';
import { createKey, deleteKey, listKeys } from './keys.ts';
import { requestRoutes } from './requests.ts';
import type { Route } from './route.ts';
import { uploadRoutes } from './uploads.ts';
import { webhookRoutes } from './webhooks.ts';

/** Every operation of /api/v1. */
export const routes: readonly Route[] = [
  readAccount,
  listKeys,
  createKey,
  deleteKey,
  ...dropRoutes,
  ...requestRoutes,
  ...uploadRoutes,
  ...inboxRoutes,
  ...contactRoutes,
  listEvents,
  ...webhookRoutes,
];
