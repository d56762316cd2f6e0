import { ListTestMessagesQuery, TestMessagePage } from '@waybill/protocol/v1';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { listTestMessages } from '../../../domain/outbox/list-test-messages.ts';
import type { KeptMessage } from '../../../domain/outbox/test-message-store.ts';
import { parsePageQuery } from '../cursor.ts';
import { type KeyRoute, route } from '../route.ts';

const listMessages = route({
  method: 'GET',
  path: '/test/messages',
  id: 'listTestMessages',
  summary: 'List the mails and SMS of a test account, which are kept instead of sent, or wait for one',
  scope: 'history',
  query: ListTestMessagesQuery,
  response: { status: 200, description: 'A page of messages, the newest first.', schema: TestMessagePage },
  errors: ['not_found'],
  async handle({ engines, caller, query: { wait = 0, ...query }, gone, revoked, authenticateAgain }) {
    if (!caller.isTest) {
      throw new ExchangeError('not_found', 'Only a test account has kept messages. Use a test key of the account.');
    }
    const { to, kind, drop_id: dropId, request_id: requestId, since } = query;
    const page = parsePageQuery<Pick<KeptMessage, 'sequence'>>(
      engines,
      caller,
      'test/messages',
      query,
      ({ sequence }) => ({ sequence }),
    );
    const filter = { to, kind, dropId, requestId, since };
    const wanted = { filter, after: page.after, count: page.count, waitSeconds: wait };
    const messages = await listTestMessages(engines, caller.accountId, wanted, AbortSignal.any([gone, revoked]));
    revoked.throwIfAborted();
    if (wait > 0) await authenticateAgain();
    return { body: page.response(messages, toTestMessage) };
  },
});

export const testRoutes: readonly KeyRoute[] = [listMessages];

function toTestMessage({ dropId, requestId, createdAt, sequence: _, ...message }: KeptMessage) {
  return { ...message, drop_id: dropId, request_id: requestId, created_at: createdAt };
}
