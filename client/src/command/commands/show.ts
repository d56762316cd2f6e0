import type {
  AccountEvent,
  DropDetails,
  DropReceiver,
  FileRequestDetails,
  FileRequestReceiver,
} from '../../generated/wire.ts';
import { type Context, withClient } from '../context.ts';
import type { FactSheet } from '../terminal/fact-sheet.ts';
import { formatSize, formatTime, pluralize } from '../terminal/format.ts';
import type { Style } from '../terminal/paint.ts';
import type { Column } from '../terminal/table.ts';
import { unscannedReasons } from './send.ts';
import { findSent, stateStyle } from './sent.ts';
import { noHistory, readSentEvents, type SentEvents } from './sent-events.ts';

export async function showSent(context: Context, identifier: string): Promise<void> {
  const { output, signal } = context;
  await withClient(context, async (client) => {
    const found = await findSent(client, identifier, signal);
    const { id } = found.details;
    const sent = found.noun === 'drop' ? { dropId: id } : { requestId: id };
    const history = output.isJson ? noHistory : await readSentEvents(client, sent, signal);
    await output.printDetails(found.details, (sheet) => {
      if (found.noun === 'drop') writeDrop(sheet, found.details, history);
      else writeRequest(sheet, found.details, history);
    });
  });
}

function writeDrop(sheet: FactSheet, drop: DropDetails, history: SentEvents): void {
  writeFacts(sheet, drop, 'Sent');
  sheet.addTable(dropReceiverColumns(drop), drop.receivers);
  sheet.addTable(fileColumns(drop), drop.files);
  const downloads = drop.receivers.flatMap(({ email, completed_at: at }) =>
    toMoments(at, `all files downloaded by ${email}`, 'green'),
  );
  const count = countFirstReceivers(drop, history);
  const beginning = count === undefined ? 'sent' : `sent to ${pluralize(count, 'receiver')}`;
  writeMoments(sheet, drop, beginning, [
    ...downloads,
    // The only file of a drop is all files.
    ...history.events
      .filter(({ type }) => type !== 'drop.file_delivered' || drop.file_count > 1)
      .flatMap(toEventMoments),
  ]);
}

function writeRequest(sheet: FactSheet, request: FileRequestDetails, history: SentEvents): void {
  writeFacts(sheet, request, 'Asked', request.reusable ? 'any number of times until the deadline' : 'once');
  sheet.addTable(requestReceiverColumns, request.receivers);
  const received = request.receivers.flatMap(({ email, fulfilled_at: first, last_received_at: last }) => [
    ...toMoments(first, `files received from ${email}`, 'green'),
    ...toMoments(last === first ? null : last, `more files received from ${email}`, 'green'),
  ]);
  const count = countFirstReceivers(request, history);
  const beginning = count === undefined ? 'asked for files' : `asked ${pluralize(count, 'receiver')} for files`;
  writeMoments(sheet, request, beginning, [...received, ...history.events.flatMap(toEventMoments)]);
}

function writeFacts(sheet: FactSheet, sent: DropDetails | FileRequestDetails, made: string, sendings = ''): void {
  sheet.addFacts([
    ['Title', sent.title ?? ''],
    ['Reference', sent.reference],
    ['State', sent.state, stateStyle(sent)],
    [made, formatTime(sent.created_at)],
    [sent.state === 'live' ? 'Expires' : 'Ended', formatTime(sent.revoked_at ?? sent.expires_at)],
    ['Each may send', sendings],
    ['External id', sent.external_id ?? ''],
    ['Code', sent.second_factor === 'off' ? '' : sent.second_factor],
    ['Passphrase', sent.has_passphrase ? 'required' : ''],
    ['Mails', sent.notify ? '' : 'none; the sender passes on the links'],
    ...Object.entries(sent.metadata ?? {}).map(([name, value]) => [name, value] as const),
    ['Message', sent.message],
    ['Id', sent.id],
  ]);
}

type Receiver = DropReceiver | FileRequestReceiver;

/** Returns the columns of receivers, with the given column in the middle. */
function receiverColumns<Row extends Receiver>(did: Column<Row>): Column<Row>[] {
  return [
    { header: 'RECEIVER', cell: ({ email }) => email, min: 20 },
    { header: 'STATE', cell: ({ state }) => state, style: receiverStyle },
    did,
    { header: 'NAME', cell: ({ name }) => name ?? '', min: 8 },
    { header: 'REASON', cell: ({ undeliverable_reason: reason }) => reason ?? '', min: 12 },
  ];
}

function dropReceiverColumns(drop: DropDetails): Column<DropReceiver>[] {
  return receiverColumns({
    header: 'FILES',
    cell: ({ files_delivered: files }) => (drop.activity_purged ? '' : `${files}/${drop.file_count}`),
    side: 'right',
  });
}

const requestReceiverColumns = receiverColumns<FileRequestReceiver>({
  header: 'FILES',
  cell: ({ files_received: files }) => String(files),
  side: 'right',
});

function fileColumns(drop: DropDetails): Column<DropDetails['files'][number]>[] {
  return [
    { header: 'FILE', cell: ({ path }) => path, min: 20 },
    { header: 'SIZE', cell: ({ size }) => formatSize(size), side: 'right' },
    { header: 'STATE', cell: ({ state }) => state, style: ({ state }) => (state === 'deleted' ? 'dim' : undefined) },
    {
      header: 'DOWNLOADED',
      cell: ({ receivers_delivered: count }) => (drop.activity_purged ? '' : `${count}/${drop.receiver_count}`),
      side: 'right',
    },
    {
      header: 'SCAN',
      cell: ({ scan, unscanned_reason: reason }) =>
        reason === null ? scan : `not scanned: ${unscannedReasons[reason]}`,
      min: 8,
    },
    { header: 'SHA-256', cell: ({ sha256 }) => sha256, min: 12 },
  ];
}

interface Moment {
  at: string;
  what: string;
  style?: Style;
}

const momentColumns: readonly Column<Moment>[] = [
  { header: 'WHEN', cell: ({ at }) => formatTime(at) },
  { header: 'WHAT', cell: ({ what }) => what, min: 20, style: ({ style }) => style },
];

/** Adds the history, in order. */
function writeMoments(
  sheet: FactSheet,
  sent: DropDetails | FileRequestDetails,
  beginning: string,
  successes: readonly Moment[],
): void {
  const receivers: readonly Receiver[] = sent.receivers;
  const moments = [
    ...toMoments(sent.created_at, beginning),
    ...receivers.flatMap((receiver) => [
      ...toMoments(receiver.notified_at, `mailed to ${receiver.email}`),
      ...toMoments(receiver.undeliverable_at, `mail did not reach ${receiver.email}`, 'red'),
      ...toMoments(receiver.opened_at, `opened by ${receiver.email}`),
      ...toMoments(receiver.revoked_at, `link of ${receiver.email} revoked`, 'red'),
    ]),
    ...successes,
    ...toMoments(sent.revoked_at, 'revoked', 'red'),
    ...toMoments(sent.state === 'expired' ? sent.expires_at : null, 'expired'),
  ];
  sheet.addTable(
    momentColumns,
    moments.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  );
}

/** Returns to how many receivers it was sent at first; undefined if events that would tell are missing. */
function countFirstReceivers({ receiver_count: count }: DropDetails | FileRequestDetails, history: SentEvents) {
  if (!history.isWhole) return undefined;
  return count - history.events.filter(({ type }) => type.endsWith('.receiver_added')).length;
}

/** Describes the events of which the details contain nothing. */
function toEventMoments(event: AccountEvent): Moment[] {
  const { type, timestamp: at, data } = event;
  if (type === 'drop.receiver_added' || type === 'request.receiver_added') {
    return toMoments(at, `${data.receiver_email} added`);
  }
  if (type === 'drop.extended' || type === 'request.extended') {
    return toMoments(at, `extended until ${formatTime(data.expires_at)}`);
  }
  return type === 'drop.file_delivered' ? toMoments(at, `${data.file_name} downloaded by ${data.receiver_email}`) : [];
}

function toMoments(at: string | null, what: string, style?: Style): Moment[] {
  return at === null ? [] : [{ at, what, ...(style === undefined ? {} : { style }) }];
}

function receiverStyle({ state }: Receiver): Style | undefined {
  if (state === 'completed' || state === 'fulfilled') return 'green';
  return state === 'undeliverable' || state === 'revoked' ? 'red' : undefined;
}
