import type { Drop, DropDetails, FileRequest, FileRequestDetails } from '../../generated/wire.ts';
import type { SentFilter } from '../../resources/sent-collection.ts';
import { type Context, withClient } from '../context.ts';
import { localTime } from '../terminal/format.ts';
import type { Column } from '../terminal/table.ts';
import { firstOf, type Listed, listWithDetails, named } from './lists.ts';
import { stateStyle } from './sent.ts';

type ListedDrop = Listed<Drop, DropDetails>;
type ListedRequest = Listed<FileRequest, FileRequestDetails>;
type ListedAny = ListedDrop | ListedRequest;

function firstColumns(time: string): Column<ListedAny>[] {
  return [
    { header: 'REFERENCE', cell: ({ item: sent }) => sent.reference },
    { header: time, cell: ({ item: sent }) => localTime(sent.created_at), plain: ({ item: sent }) => sent.created_at },
    { header: 'STATE', cell: ({ item: sent }) => sent.state, style: ({ item: sent }) => stateStyle(sent) },
  ];
}

function receiversColumn(header: string): Column<ListedAny> {
  return {
    header,
    cell: ({ item: sent, details }) =>
      named(
        details?.receivers.map(({ email }) => email),
        sent.receiver_count,
        'receiver',
      ),
    min: 12,
  };
}

const lastColumns: readonly Column<ListedAny>[] = [
  { header: 'EXTERNAL ID', cell: ({ item: sent }) => sent.external_id ?? '', min: 11 },
  { header: 'MESSAGE', cell: ({ item: sent }) => sent.message.split('\n')[0] ?? '', min: 8 },
];

const dropColumns: readonly Column<ListedDrop>[] = [
  ...firstColumns('SENT'),
  { header: 'DONE', cell: ({ item: sent, details }) => `${completed(details)}/${sent.receiver_count}`, side: 'right' },
  receiversColumn('TO'),
  {
    header: 'FILES',
    cell: ({ item: sent, details }) =>
      named(
        details?.files.map(({ path }) => path),
        sent.file_count,
        'file',
      ),
    min: 12,
  },
  ...lastColumns,
];

const requestColumns: readonly Column<ListedRequest>[] = [
  ...firstColumns('ASKED'),
  { header: 'DONE', cell: ({ item: sent, details }) => `${fulfilled(details)}/${sent.receiver_count}`, side: 'right' },
  receiversColumn('WHOM'),
  ...lastColumns,
];

export interface HistoryCommand extends Pick<SentFilter, 'state' | 'receiver' | 'search'> {
  externalId?: string;
  requests?: boolean;
  limit?: number;
}

/** What this account has sent, or whom it has asked for files. */
export async function history(
  context: Context,
  { requests, limit, externalId, ...others }: HistoryCommand,
): Promise<void> {
  const filter = { ...others, ...(externalId === undefined ? {} : { external_id: externalId }) };
  await withClient(context, async (client) => {
    const asked = { ...filter, signal: context.signal };
    const shown = requests
      ? await listWithDetails(context, client.requests, firstOf(client.requests.list(asked), limit), requestColumns)
      : await listWithDetails(context, client.drops, firstOf(client.drops.list(asked), limit), dropColumns);
    if (shown > 0) return;
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const nothing = requests ? 'Nobody has been asked for files yet.' : 'Nothing has been sent yet.';
    context.answers.notice(isFiltered ? 'There is nothing like it.' : nothing);
  });
}

function completed(details: DropDetails | undefined): number | string {
  if (details === undefined || details.deliveries_forgotten) return '?';
  return details.receivers.filter(({ completed_at: at }) => at !== null).length;
}

function fulfilled(details: FileRequestDetails | undefined): number | string {
  return details?.receivers.filter(({ fulfilled_at: at }) => at !== null).length ?? '?';
}
