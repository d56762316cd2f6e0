import type { SentFilter } from '../sent-collection.ts';
import type { Drop, DropDetails, FileRequest, FileRequestDetails } from '../wire.ts';
import { firstOf } from './lists.ts';
import { counted } from './send.ts';
import { stateStyle } from './sent.ts';
import { localTime } from './sizes.ts';
import type { Column } from './table.ts';
import { type Context, unlessMissing, withClient } from './with-client.ts';

/** What is listed, with its receivers if it still has them. */
interface Listed<Sent, Details> {
  sent: Sent;
  details: Details | undefined;
}

type ListedDrop = Listed<Drop, DropDetails>;
type ListedRequest = Listed<FileRequest, FileRequestDetails>;
type ListedAny = ListedDrop | ListedRequest;

function firstColumns(time: string): Column<ListedAny>[] {
  return [
    { header: 'NUMBER', cell: ({ sent }) => sent.number },
    { header: time, cell: ({ sent }) => localTime(sent.created_at), plain: ({ sent }) => sent.created_at },
    { header: 'STATE', cell: ({ sent }) => sent.state, style: ({ sent }) => stateStyle(sent) },
  ];
}

function receiversColumn(header: string): Column<ListedAny> {
  return {
    header,
    cell: ({ sent, details }) =>
      named(
        details?.receivers.map(({ email }) => email),
        sent.receiver_count,
        'receiver',
      ),
    min: 12,
  };
}

const lastColumns: readonly Column<ListedAny>[] = [
  { header: 'REFERENCE', cell: ({ sent }) => sent.reference ?? '', min: 9 },
  { header: 'MESSAGE', cell: ({ sent }) => sent.message.split('\n')[0] ?? '', min: 8 },
];

const dropColumns: readonly Column<ListedDrop>[] = [
  ...firstColumns('SENT'),
  { header: 'DONE', cell: ({ sent, details }) => `${completed(details)}/${sent.receiver_count}`, side: 'right' },
  receiversColumn('TO'),
  {
    header: 'FILES',
    cell: ({ sent, details }) =>
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
  { header: 'DONE', cell: ({ sent, details }) => `${fulfilled(details)}/${sent.receiver_count}`, side: 'right' },
  receiversColumn('WHOM'),
  ...lastColumns,
];

export interface HistoryCommand extends Pick<SentFilter, 'state' | 'receiver' | 'reference' | 'search'> {
  requests?: boolean;
  limit?: number;
}

/** What this account has sent, or whom it has asked for files. */
export async function history(context: Context, { requests, limit, ...filter }: HistoryCommand): Promise<void> {
  await withClient(context, async (client) => {
    const asked = { ...filter, signal: context.signal };
    const shown = requests
      ? await listSent(context, client.requests, firstOf(client.requests.list(asked), limit), requestColumns)
      : await listSent(context, client.drops, firstOf(client.drops.list(asked), limit), dropColumns);
    if (shown > 0) return;
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const nothing = requests ? 'Nobody has been asked for files yet.' : 'Nothing has been sent yet.';
    context.answers.notice(isFiltered ? 'There is nothing like it.' : nothing);
  });
}

/** Where the details of what is listed are. */
interface Source<Details> {
  get(id: string, options: { signal: AbortSignal }): Promise<Details>;
}

/** A list of the API has only the numbers of receivers and files. Programs read those, and people want names. */
async function listSent<Sent extends { id: string }, Details>(
  { answers, signal }: Context,
  source: Source<Details>,
  sent: AsyncIterable<Sent>,
  columns: readonly Column<Listed<Sent, Details>>[],
): Promise<number> {
  const listed = answers.isJson ? bare<Sent, Details>(sent) : withDetails(source, sent, signal);
  return await answers.list(columns, listed, (row) => row.sent);
}

async function* bare<Sent, Details>(all: AsyncIterable<Sent>): AsyncGenerator<Listed<Sent, Details>, void, void> {
  for await (const sent of all) yield { sent, details: undefined };
}

const readsAtOnce = 4;

async function* withDetails<Sent extends { id: string }, Details>(
  source: Source<Details>,
  all: AsyncIterable<Sent>,
  signal: AbortSignal,
): AsyncGenerator<Listed<Sent, Details>, void, void> {
  const reads: Promise<Listed<Sent, Details>>[] = [];
  for await (const sent of all) {
    // Its records may have been removed just now.
    const read = unlessMissing(source.get(sent.id, { signal })).then((details) => ({ sent, details }));
    read.catch(() => undefined); // it is reported when it is waited for
    reads.push(read);
    if (reads.length >= readsAtOnce) yield (await reads.shift()) as Listed<Sent, Details>;
  }
  for (const read of reads) yield await read;
}

function completed(details: DropDetails | undefined): number | string {
  if (details === undefined || details.deliveries_forgotten) return '?';
  return details.receivers.filter(({ completed_at: at }) => at !== null).length;
}

function fulfilled(details: FileRequestDetails | undefined): number | string {
  return details?.receivers.filter(({ fulfilled_at: at }) => at !== null).length ?? '?';
}

function named(names: readonly string[] | undefined, count: number, thing: string): string {
  return names?.join(', ') ?? counted(count, thing);
}
