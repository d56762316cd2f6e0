import type { Waybill } from '../waybill.ts';
import type { FileReference, InboxEntry } from '../wire.ts';
import { openClient } from './account.ts';
import { humanTime } from './sizes.ts';
import type { Column } from './table.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface ListCommand {
  limit?: number;
}

type Listing = (terminal: Terminal, answers: Answers, signal: AbortSignal, options: ListCommand) => Promise<void>;

/** What contacts and other accounts have sent to this one. */
export const inboxCommand: Listing = listing(
  (client, signal) => client.machineInbox({ signal }),
  [
    timeColumn<InboxEntry>('RECEIVED', ({ createtime }) => createtime),
    { header: 'FROM', cell: ({ sender }) => sender, min: 20 },
    { header: 'FILES', cell: ({ files }) => names(files), min: 20 },
  ],
  'The inbox is empty.',
);

/** Prints a line for each entry as it arrives, up to the limit. */
function listing<Entry>(
  entries: (client: Waybill, signal: AbortSignal) => AsyncIterable<Entry>,
  columns: readonly Column<Entry>[],
  nothing: string,
): Listing {
  return async (terminal, answers, signal, { limit }) => {
    const { client } = await openClient(terminal);
    const shown = await answers.list(columns, firstOf(entries(client, signal), limit));
    client.close();
    if (shown === 0) answers.notice(nothing);
  };
}

/** All of them, if there is no limit. */
export async function* firstOf<T>(
  items: AsyncIterable<T>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<T, void, void> {
  let count = 0;
  for await (const item of items) {
    yield item;
    count += 1;
    if (count >= limit) return;
  }
}

function timeColumn<Row>(header: string, unixSeconds: (row: Row) => string): Column<Row> {
  return {
    header,
    cell: (row) => humanTime(new Date(Number(unixSeconds(row)) * 1000)),
    plain: (row) => new Date(Number(unixSeconds(row)) * 1000).toISOString(),
  };
}

function names(files: FileReference[]): string {
  return files.map(({ name }) => name).join(', ');
}
