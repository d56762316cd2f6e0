import type { InboxEntry, InboxEntryDetails } from '../../generated/wire.ts';
import type { InboxFilter } from '../../resources/inbox.ts';
import { type Context, explainNotFound, isId, notFoundError, withClient } from '../context.ts';
import { formatTime, pluralize } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';
import { formatNames, type ListedItem, listWithDetails, takeFirst } from './lists.ts';

const columns: readonly Column<ListedItem<InboxEntry, InboxEntryDetails>>[] = [
  { header: 'RECEIVED', cell: ({ item }) => formatTime(item.received_at), plain: ({ item }) => item.received_at },
  { header: 'FROM', cell: ({ item }) => item.sender, min: 5 },
  {
    header: 'STATE',
    cell: ({ item }) => item.state,
    style: ({ item }) => (item.state === 'parked' ? 'red' : undefined),
  },
  {
    header: 'FILES',
    cell: ({ item, details }) =>
      formatNames(
        details?.files.map(({ path }) => path),
        item.file_count,
        'file',
      ),
    min: 5,
  },
  { header: 'TITLE', cell: ({ item }) => item.title ?? '', min: 5 },
  { header: 'ID', cell: ({ item }) => item.id, isKept: true },
  { header: 'REFERENCE', cell: ({ item }) => item.reference },
  { header: 'EXTERNAL ID', cell: ({ item }) => item.external_id ?? '', min: 11 },
];

const listParked = 'waybill inbox --state parked';

export interface InboxCommandOptions extends Pick<InboxFilter, 'state' | 'reference'> {
  externalId?: string;
  limit?: number;
}

/** Lists the entries of the inbox. */
export async function listInbox(
  context: Context,
  { limit, externalId, ...others }: InboxCommandOptions,
): Promise<void> {
  const filter = { ...others, ...(externalId === undefined ? {} : { external_id: externalId }) };
  await withClient(context, async (client) => {
    const entries = takeFirst(client.inbox.list({ ...filter, signal: context.signal }), limit);
    if ((await listWithDetails(context, client.inbox, entries, columns)) > 0) return;
    const { state } = filter;
    const isFiltered = Object.keys(filter).length > 0;
    const nothing = isFiltered ? 'Nothing matches the filter.' : 'The inbox is empty.';
    context.output.notice(state === undefined ? nothing : `Nothing in the inbox is ${state}.`);
  });
}

/** Makes parked entries available again. */
export async function releaseEntries(context: Context, ids: readonly string[]): Promise<void> {
  await withClient(context, async (client) => {
    for (const id of ids) {
      if (!isId(id)) throw notFoundError(`There is no entry ${id}.`, listParked);
      const released = client.inbox.release(id, { signal: context.signal });
      await explainNotFound(released, `There is no entry ${id}.`, listParked);
    }
    await context.output.print(`Released ${pluralize(ids.length, 'entry', 'entries')}.`, { status: 'released', ids });
  });
}
