import type { Waybill } from '../waybill.ts';
import type { FileReference, HistoryEntry } from '../wire.ts';
import { openClient } from './account.ts';
import { humanTime } from './sizes.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface ListCommand {
  limit?: number;
}

type Listing = (terminal: Terminal, answers: Answers, signal: AbortSignal, options: ListCommand) => Promise<void>;

/** What contacts and other accounts have sent to this one. */
export const inboxCommand: Listing = listing(
  (client, signal) => client.inbox({ signal }),
  (entry) => `${humanTime(entry.createtime)}  ${entry.sender}  ${names(entry.files)}`,
  'The inbox is empty.',
);

/** What this account has sent and requested. */
export const historyCommand: Listing = listing(
  (client, signal) => client.history({ signal }),
  historyLine,
  'Nothing has been sent yet.',
);

/** Prints a line for each entry as it arrives, up to the limit. */
function listing<Entry>(
  entries: (client: Waybill, signal: AbortSignal) => AsyncIterable<Entry>,
  line: (entry: Entry) => string,
  nothing: string,
): Listing {
  return async (terminal, answers, signal, { limit = Number.POSITIVE_INFINITY }) => {
    const { client } = await openClient(terminal);
    let shown = 0;
    for await (const entry of entries(client, signal)) {
      if (shown >= limit) break;
      shown += 1;
      await answers.say(line(entry), entry);
    }
    client.close();
    if (shown === 0) answers.notice(nothing);
  };
}

function historyLine(entry: HistoryEntry): string {
  const what = entry.drop_type === 'uploadfiles' ? 'requested files' : names(entry.files);
  const whom = entry.receivers.map(({ email }) => email).join(', ');
  const [firstLine = ''] = entry.ddmessage.split('\n');
  const message = firstLine === '' ? '' : `  "${firstLine}"`;
  return `${humanTime(entry.create_time)}  to ${whom}  ${what}${message}`;
}

function names(files: FileReference[]): string {
  return files.map(({ name }) => name).join(', ');
}
