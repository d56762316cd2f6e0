import type { Drop, DropDetails, FileRequest, FileRequestDetails } from '../../generated/wire.ts';
import type { SentFilter } from '../../resources/sent-collection.ts';
import { type Context, withClient } from '../context.ts';
import { formatTime } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';
import { formatNames, type ListedItem, listWithDetails, takeFirst } from './lists.ts';
import { stateStyle } from './sent.ts';

type ListedDrop = ListedItem<Drop, DropDetails>;
type ListedRequest = ListedItem<FileRequest, FileRequestDetails>;
type ListedSent = ListedDrop | ListedRequest;

function leadingColumns(time: string): Column<ListedSent>[] {
  return [
    { header: 'REFERENCE', cell: ({ item: sent }) => sent.reference },
    { header: time, cell: ({ item: sent }) => formatTime(sent.created_at), plain: ({ item: sent }) => sent.created_at },
    { header: 'STATE', cell: ({ item: sent }) => sent.state, style: ({ item: sent }) => stateStyle(sent) },
  ];
}

function receiversColumn(header: string): Column<ListedSent> {
  return {
    header,
    cell: ({ item: sent, details }) =>
      formatNames(
        details?.receivers.map(({ email }) => email),
        sent.receiver_count,
        'receiver',
      ),
    min: 12,
  };
}

const trailingColumns: readonly Column<ListedSent>[] = [
  { header: 'EXTERNAL ID', cell: ({ item: sent }) => sent.external_id ?? '', min: 11 },
  { header: 'TITLE', cell: ({ item: sent }) => sent.title ?? '', min: 8 },
  { header: 'MESSAGE', cell: ({ item: sent }) => sent.message.split('\n')[0] ?? '', min: 8 },
];

const dropColumns: readonly Column<ListedDrop>[] = [
  ...leadingColumns('SENT'),
  {
    header: 'DONE',
    cell: ({ item: sent, details }) => `${countCompleted(details)}/${sent.receiver_count}`,
    side: 'right',
  },
  receiversColumn('TO'),
  {
    header: 'FILES',
    cell: ({ item: sent, details }) =>
      formatNames(
        details?.files.map(({ path }) => path),
        sent.file_count,
        'file',
      ),
    min: 12,
  },
  ...trailingColumns,
];

const requestColumns: readonly Column<ListedRequest>[] = [
  ...leadingColumns('REQUESTED'),
  {
    header: 'DONE',
    cell: ({ item: sent, details }) => `${countFulfilled(details)}/${sent.receiver_count}`,
    side: 'right',
  },
  receiversColumn('FROM'),
  ...trailingColumns,
];

export interface HistoryCommandOptions extends Pick<SentFilter, 'state' | 'search' | 'contains'> {
  receiver?: string;
  externalId?: string;
  requests?: boolean;
  limit?: number;
}

/** Lists the drops of the account, or its requests for files. */
export async function listHistory(
  context: Context,
  { requests, limit, receiver, externalId, ...others }: HistoryCommandOptions,
): Promise<void> {
  const filter = {
    ...others,
    ...(receiver === undefined ? {} : { receiver_email: receiver }),
    ...(externalId === undefined ? {} : { external_id: externalId }),
  };
  await withClient(context, async (client) => {
    const query = { ...filter, signal: context.signal };
    const shown = requests
      ? await listWithDetails(context, client.requests, takeFirst(client.requests.list(query), limit), requestColumns)
      : await listWithDetails(context, client.drops, takeFirst(client.drops.list(query), limit), dropColumns);
    if (shown > 0) return;
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const nothing = requests ? 'No files have been requested yet.' : 'Nothing has been sent yet.';
    context.output.notice(isFiltered ? 'Nothing matches the filter.' : nothing);
  });
}

function countCompleted(details: DropDetails | undefined): number | string {
  if (details === undefined || details.activity_purged) return '?';
  return details.receivers.filter(({ completed_at: at }) => at !== null).length;
}

function countFulfilled(details: FileRequestDetails | undefined): number | string {
  return details?.receivers.filter(({ fulfilled_at: at }) => at !== null).length ?? '?';
}
