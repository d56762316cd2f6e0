import type { PagePosition } from '../batch.ts';
import type { Receiver } from '../contacts/contact-store.ts';
import type { Engines } from '../engines.ts';
import type { FileLine } from '../files/file-store.ts';
import type { InboxLine } from '../inbox/inbox-store.ts';
import { query } from '../query.ts';
import type { DropLine } from './drop-store.ts';

const dropsPerPage = 200;
/**
 * How many receivers and files are read at once, so that a page of large drops takes no more memory than one of small
 * drops.
 */
const rowsPerRead = 2000;

export interface HistoryDrop extends DropLine {
  readonly receivers: Receiver[];
  readonly files: FileLine[];
}
export interface InboxDrop extends InboxLine {
  readonly files: FileLine[];
}

/** The account's drops, newest first. Nothing is held between two reads: no transaction, no connection. */
export async function* readHistory(engines: Pick<Engines, 'store'>, accountId: string): AsyncGenerator<HistoryDrop[]> {
  const { drops } = engines.store;
  for await (const page of pages((after) => drops.page(accountId, after, dropsPerPage))) {
    for (const group of inGroups(page, (drop) => 1 + drop.receiverCount + drop.fileCount)) {
      const ids = group.map((drop) => drop.id);
      const [receivers, files] = await Promise.all([drops.receivers(accountId, ids), drops.files(accountId, ids)]);
      yield group.map((drop) => ({
        ...drop,
        receivers: receivers.get(drop.id) ?? [],
        files: files.get(drop.id) ?? [],
      }));
    }
  }
}

/** The inbox entries that this account can download, newest first. */
export async function* readInbox(engines: Pick<Engines, 'store'>, accountId: string): AsyncGenerator<InboxDrop[]> {
  const { drops } = engines.store;
  for await (const page of pages((after) => drops.inboxPage(accountId, after, dropsPerPage))) {
    for (const group of inGroups(page, (entry) => 1 + entry.fileCount)) {
      const bySender = Map.groupBy(group, (entry) => entry.senderAccountId);
      const files = new Map<string, FileLine[]>();
      for (const [sender, entries] of bySender) {
        const found = await drops.files(
          sender,
          entries.map((entry) => entry.dropId),
        );
        for (const [dropId, lines] of found) files.set(dropId, lines);
      }
      yield group.map((entry) => ({ ...entry, files: files.get(entry.dropId) ?? [] }));
    }
  }
}

async function* pages<Line extends PagePosition>(
  read: (after: PagePosition | undefined) => Promise<Line[]>,
): AsyncGenerator<Line[]> {
  let after: PagePosition | undefined;
  for (;;) {
    const page = await read(after);
    if (page.length > 0) yield page;
    if (page.length < dropsPerPage) return;
    after = page.at(-1);
  }
}

function* inGroups<Line>(lines: readonly Line[], rowsOf: (line: Line) => number): Generator<Line[]> {
  let group: Line[] = [];
  let rows = 0;
  for (const line of lines) {
    if (group.length > 0 && rows + rowsOf(line) > rowsPerRead) {
      yield group;
      group = [];
      rows = 0;
    }
    group.push(line);
    rows += rowsOf(line);
  }
  if (group.length > 0) yield group;
}

export const countLiveDrops = query((store) => store.drops.countLive);

export const listDrops = query((store) => store.drops.page);
export const findDropsByIdEnd = query((store) => store.drops.byIdEnd);
export const listDeliveryStates = query((store) => store.drops.deliveryStates);
