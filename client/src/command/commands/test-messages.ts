import type { TestMessage } from '../../generated/wire.ts';
import type { TestMessageFilter } from '../../resources/test-messages.ts';
import { type Context, withClient } from '../context.ts';
import { formatTime } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';
import { takeFirst } from './lists.ts';

export const testMessageKinds: readonly TestMessage['kind'][] = [
  'invitation',
  'reminder',
  'code',
  'receipt',
  'received',
  'confirmation',
  'undeliverable',
  'more_time',
  'send_again',
  'report',
  'webhook_disabled',
  'entries_parked',
];

const columns: readonly Column<TestMessage>[] = [
  { header: 'KEPT', cell: ({ created_at: at }) => formatTime(at), plain: ({ created_at: at }) => at },
  { header: 'TO', cell: ({ to }) => to, min: 5 },
  { header: 'KIND', cell: ({ kind }) => kind },
  { header: 'LINK OR CODE', cell: ({ link, code }) => link ?? code ?? '', isKept: true },
  { header: 'SUBJECT', cell: ({ subject }) => subject ?? '', min: 12 },
];

export interface TestMessagesCommandOptions {
  to?: string;
  kind?: TestMessage['kind'];
  drop?: string;
  request?: string;
  wait?: number;
  limit?: number;
}

/** Lists the mails and SMS that the test account has kept, and waits for one if there is none. */
export async function listTestMessages(
  context: Context,
  { to, kind, drop, request, wait, limit }: TestMessagesCommandOptions,
): Promise<void> {
  const { output, signal } = context;
  const filter: TestMessageFilter = {
    ...(to !== undefined && { to }),
    ...(kind !== undefined && { kind }),
    ...(drop !== undefined && { drop_id: drop }),
    ...(request !== undefined && { request_id: request }),
    signal,
  };
  await withClient(context, async (client) => {
    if (wait !== undefined) await client.testMessages.wait({ ...filter, timeoutSeconds: wait });
    const count = await output.printList(columns, takeFirst(client.testMessages.list(filter), limit));
    if (count === 0) output.notice('No such message was kept.');
  });
}
