import { readAccount } from './account/account.ts';
import { createKey, deleteKey, readKeys } from './account/keys.ts';
import { contactRoutes } from './contacts/contacts.ts';
import { dropRoutes } from './drops/drops.ts';
import { eventRoutes } from './events/events.ts';
import { inboxRoutes } from './inbox/inbox.ts';
import { linkRoutes } from './link/link.ts';
import { recordedExamples } from './openapi/recorded-examples.ts';
import { requestRoutes } from './requests/requests.ts';
import type { ExemplifiedRoute, KeyRoute } from './route.ts';
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

/** Every operation of /api/v1, with its recorded example. */
export const routes: readonly ExemplifiedRoute[] = [...keyRoutes, ...linkRoutes].map((route) => {
  const { request, response } = recordedExamples[route.id] ?? {};
  return {
    ...route,
    ...(request && { example: request }),
    response: { ...route.response, ...(response !== undefined && { example: response }) },
  };
});
