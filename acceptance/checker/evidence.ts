/** Evidence that a checker examines. Everything that the fault tests know about the program's tables is in this file. */
import { createHash } from 'node:crypto';
import type { Mail } from '../../tools/shared/mailbox.ts';
import type { HistoryEntry, InboxEntry } from '../lib/http/shapes.ts';
import { allMails, linkTokens } from '../lib/people/mailbox.ts';
import { chunkKey, type Inside } from '../lib/servers/exchange-internals.ts';
import { eventually } from '../lib/wait.ts';
import type { Journal } from './journal.ts';

/** A file, or an upload that is to become one under the same id. */
export interface FileRow {
  id: string;
  sender: string;
  state: 'receiving' | 'checking' | 'refused' | 'abandoned' | 'ready' | 'held' | 'deleting' | 'gone';
  draft: string;
  drop_id: string | null;
  name: string;
  size_bytes: number | null;
  sha256: string | null;
  scan: 'clean' | 'unscanned' | null;
  chunk_count: number;
  leased: boolean;
}
export interface DropRow {
  id: string;
  sender: string;
  message: string;
  receiver_count: number;
  file_count: number;
  /** Whether its deadline has passed, or it was revoked. */
  ended: boolean;
  links: { email: string; digest: string }[];
  mails: { receiver: string; state: string }[];
}
/** The size that counts against an account's quota, and the sum of what it stores and has reserved. */
export interface UsageRow {
  sender: string;
  counted: number;
  stored: number;
}
/** An entry of the evidence log. */
export interface EvidenceEntry {
  drop_id: string;
  kind: string;
  position: number | null;
  data: {
    address?: string;
    purpose?: string;
    file?: { name: string };
    files?: { name: string; size: number; sha256: string }[];
  };
  /** Whether a published checkpoint covers it. */
  published: boolean;
}
/** The result of downloading one file: the digest of the bytes, or how the transfer failed. */
export type Download = { sizeBytes: number; sha256: string } | { failure: string };

/** One sender's and one receiver's view through the API. */
export interface AccountEvidence {
  history: HistoryEntry[];
  staged: Map<string, string[]>;
  inbox: { entry: InboxEntry; downloads: Map<string, Download>; toStranger: number }[];
  /** By the token of each mailed link: the status of its page. */
  pages: Map<string, number>;
}
export interface Evidence {
  accounts: Map<Journal, AccountEvidence>;
  files: FileRow[];
  drops: DropRow[];
  mails: Map<string, Mail[]>;
  /** In the whole bucket: keys under the id of one of these accounts' files, and keys under an id that no file has. */
  ownedKeys: Set<string>;
  strayKeys: string[];
  usage: UsageRow[];
  entries: EvidenceEntry[];
}

/** For everything together: less than a test may take, so that its checks can say what is unfinished. */
const settledWithinMs = 120_000;
const hurryEveryMs = 15_000;
const logSettledWithinMs = 60_000;
const requestsAtOnce = 4;

/**
 * Waits until everything that ends on its own has ended: leases expired and swept, mails sent. The checks follow in any
 * case.
 */
export async function settle(inside: Inside, journals: Journal[]): Promise<void> {
  const senders = journals.map((journal) => journal.sender.user);
  const deadline = Date.now() + settledWithinMs;
  const untilDeadline = () => ({ withinMs: deadline - Date.now(), everyMs: 250 });
  await eventually(
    'nothing left to sweep',
    async () => {
      if ((await unsweptFiles(inside, senders)) === 0) return true;
      // The demo's time cannot be moved, but what these senders interrupted need not wait.
      if (inside.advance) await inside.advance(3600);
      else for (const sender of senders) await endGrace(inside, sender);
      await inside.sweep();
      return undefined;
    },
    untilDeadline(),
  ).catch(() => undefined);
  let hurriedAt = 0;
  await eventually(
    'every mail handed over and delivered',
    async () => {
      const drops = await readDrops(inside, senders);
      if (drops.some((drop) => drop.mails.some((mail) => mail.state === 'waiting'))) {
        // Only now and then, because a mail that is being sent must not seem overdue.
        if (inside.advance && Date.now() > hurriedAt + hurryEveryMs) {
          await inside.advance(3600);
          await inside.sweep();
          hurriedAt = Date.now();
        }
        return undefined;
      }
      const mails = await allMails(began(journals));
      const arrived = drops.every((drop) =>
        drop.mails.every(
          ({ receiver, state }) => state !== 'sent' || mailsAbout(mails, receiver, drop.message).length > 0,
        ),
      );
      return arrived ? true : undefined;
    },
    untilDeadline(),
  ).catch(() => undefined);
  // The API is asked before the database: a drop that ended in between would seem to be open after its end.
  await eventually('no drop about to end', async () => (await dropsAboutToEnd(inside, senders)) === 0 || undefined, {
    withinMs: settledWithinMs,
    everyMs: 250,
  });
}

export async function gather(inside: Inside, journals: Journal[]): Promise<Evidence> {
  const senders = journals.map((journal) => journal.sender.user);
  const mails = await allMails(began(journals));
  const accounts = new Map<Journal, AccountEvidence>();
  for (const journal of journals) accounts.set(journal, await askApi(journal, mails));
  // The bucket before the database: an object's row exists before the object and stays longer.
  const keys = await inside.objectKeys();
  const files = await readFiles(inside, senders);
  const ids = new Set(files.map((file) => file.id));
  return {
    accounts,
    files,
    drops: await readDrops(inside, senders),
    mails,
    ownedKeys: new Set(keys.filter((key) => ids.has(toFileId(key)))),
    strayKeys: await strays(inside, keys),
    usage: await readUsage(inside, senders),
    // Last: an entry may be written at any time, and is published a moment later.
    entries: await readSettledEntries(inside, senders, [...accounts.values()]),
  };
}

/** Waits until what was downloaded is recorded, and everything is published. The checks follow in any case. */
async function readSettledEntries(
  inside: Inside,
  senders: string[],
  accounts: AccountEvidence[],
): Promise<EvidenceEntry[]> {
  const downloads = accounts.flatMap(({ inbox }) => inbox.flatMap((found) => [...found.downloads.values()]));
  const whole = downloads.filter((download) => 'sha256' in download).length;
  return await eventually(
    'every entry in the log',
    async () => {
      const entries = await readEntries(inside, senders);
      const handovers = entries.filter(({ kind }) => kind === 'content.handed_over').length;
      return handovers >= whole && entries.every(({ published }) => published) ? entries : undefined;
    },
    { withinMs: logSettledWithinMs },
  ).catch(() => readEntries(inside, senders));
}

export function mailsAbout(mails: Map<string, Mail[]>, address: string, message: string): Mail[] {
  return (mails.get(address) ?? []).filter((mail) => mail.email.text?.includes(message));
}

const began = (journals: Journal[]) => Math.min(...journals.map(({ beganAt }) => beganAt)) - 1000;

async function askApi(
  { sender, receiver, uploads, dispatches }: Journal,
  mails: Map<string, Mail[]>,
): Promise<AccountEvidence> {
  const drafts = [...new Set([...uploads, ...dispatches].map((intention) => intention.draft))];
  // A fault may have cost them their tokens.
  for (const client of [sender, receiver]) client.discardToken();
  const staged = new Map<string, string[]>();
  await severalAtOnce(drafts, async (draft) => {
    const files = await sender.inDraft(draft).readFiles();
    staged.set(
      draft,
      files.map((file) => file.name),
    );
  });
  const inbox = (await receiver.readHistory()).inbox.map((entry) => ({
    entry,
    downloads: new Map<string, Download>(),
    toStranger: 404,
  }));
  await severalAtOnce(inbox, async (found) => {
    const { entry, downloads } = found;
    for (const { name } of entry.files) {
      const response = await receiver.download(entry.url, name).catch((error: Error) => error);
      downloads.set(name, describeDownload(response));
    }
    // The sender has an account, but this is not its inbox.
    found.toStranger = (await sender.download(entry.url, entry.files[0]?.name ?? '')).status;
  });
  const pages = new Map<string, number>();
  const receivers = new Set(dispatches.flatMap((dispatch) => dispatch.receivers));
  const tokens = [...receivers].flatMap((address) =>
    (mails.get(address) ?? []).flatMap((mail) => linkTokens(mail, 'd')),
  );
  await severalAtOnce([...new Set(tokens)], async (token) => {
    pages.set(token, (await sender.plain('GET', `/d/${token}`)).status);
  });
  return { history: (await sender.readHistory()).history, staged, inbox, pages };
}

function describeDownload(response: Error | { status: number; body: Buffer }): Download {
  if (response instanceof Error) return { failure: response.message };
  if (response.status !== 200) return { failure: `status ${response.status}` };
  return { sizeBytes: response.body.length, sha256: createHash('sha256').update(response.body).digest('hex') };
}

export async function readFiles({ query }: Inside, senders: string[]): Promise<FileRow[]> {
  return await query<FileRow>(
    `select files.id, email as sender, files.state::text, draft, drop_id, name, size_bytes::float8, encode(sha256, 'hex') as sha256,
            scan::text, chunk_count, false as leased
     from files join accounts on accounts.id = account_id where email = any($1)
     union all
     select uploads.id, email, uploads.state::text, draft, null, name, size_bytes::float8, null,
            null, chunk_count, coalesce(due_at > now(), false)
     from uploads join accounts on accounts.id = account_id where email = any($1)
       and not (uploads.state = 'refused' and due_at is null)`,
    [senders],
  );
}

export async function readUsage({ query }: Inside, senders: string[]): Promise<UsageRow[]> {
  return await query<UsageRow>(
    `select email as sender, stored_bytes::float8 as counted,
       ((select coalesce(sum(size_bytes), 0) from files where account_id = accounts.id and state in ('ready', 'held')) +
        (select coalesce(sum(reserved_bytes), 0) from uploads
         where account_id = accounts.id and state in ('receiving', 'checking')))::float8 as stored
     from usage join accounts on accounts.id = account_id where email = any($1)`,
    [senders],
  );
}

export async function readEntries({ query }: Inside, senders: string[]): Promise<EvidenceEntry[]> {
  return await query<EvidenceEntry>(
    `select drop_id, kind, position, data, coalesce(leaf_index < published_size, false) as published
     from evidence_entries join accounts on accounts.id = account_id left join evidence_logs using (epoch)
     where email = any($1) and drop_id is not null`,
    [senders],
  );
}

/** Ends the minutes for which an interrupted upload of this account is kept. */
export async function endGrace({ query }: Inside, sender: string): Promise<void> {
  await query(
    `update uploads set due_at = now() from accounts
     where accounts.id = account_id and email = $1 and uploads.state = 'abandoned'`,
    [sender],
  );
}

async function unsweptFiles(inside: Inside, senders: string[]): Promise<number> {
  return (await readFiles(inside, senders)).filter(({ state }) => state !== 'ready' && state !== 'gone').length;
}

async function readDrops({ query }: Inside, senders: string[]): Promise<DropRow[]> {
  return await query<DropRow>(
    `select drops.id, accounts.email as sender, message, receiver_count, file_count,
       ended_at is not null or expires_at <= now() as ended,
       (select coalesce(json_agg(json_build_object('email', links.email, 'digest', encode(token_digest, 'hex'))), '[]')
        from links where links.account_id = drops.account_id and drop_id = drops.id) as links,
       (select coalesce(json_agg(json_build_object('state', state, 'receiver', receiver)), '[]')
        from messages where messages.account_id = drops.account_id and drop_id = drops.id and kind = 'invitation') as mails
     from drops join accounts on accounts.id = account_id where accounts.email = any($1)`,
    [senders],
  );
}

async function dropsAboutToEnd({ query }: Inside, senders: string[]): Promise<number> {
  const rows = await query(
    `select 1 from drops join accounts on accounts.id = account_id
     where accounts.email = any($1) and ended_at is null and expires_at between now() and now() + interval '1 minute'`,
    [senders],
  );
  return rows.length;
}

/** Whether the receiver of an inbox entry counts as having all its files. */
export async function isDelivered({ query }: Inside, entry: InboxEntry): Promise<boolean> {
  const [row] = await query<{ delivered: boolean }>(
    `select completed_at is not null as delivered from links
     join inbox_entries on links.drop_id = inbox_entries.drop_id where inbox_entries.id::text = any($1)`,
    [entry.url.split('/')],
  );
  if (!row) throw new Error(`no link behind ${entry.url}`);
  return row.delivered;
}

/** Keys under an id that no file of any account and no day key has. Checked twice: a sweep removes the row right after the objects. */
async function strays({ query, objectKeys }: Inside, keys: string[]): Promise<string[]> {
  const prefixes = new Map(
    keys.map((key) => [toFileId(key), key.slice(0, key.indexOf(toFileId(key)) + toFileId(key).length)]),
  );
  // A contact's interrupted file has objects under the ids of its runs as well.
  const known = await query<{ id: string }>(
    `select id::text from files where id::text = any($1)
     union all select id::text from uploads where id::text = any($1)
     union all select id::text from day_key_objects where id::text = any($1)
     union all select run ->> 'id' from files, jsonb_array_elements(runs) as run where runs <> '[]'
     union all select run ->> 'id' from uploads, jsonb_array_elements(runs) as run where runs <> '[]'`,
    [[...prefixes.keys()]],
  );
  const knownIds = new Set(known.map(({ id }) => id));
  const stray: string[] = [];
  for (const [id, prefix] of prefixes) if (!knownIds.has(id)) stray.push(...(await objectKeys(prefix)));
  return stray;
}

function toFileId(key: string): string {
  const [first = '', second = ''] = key.split('/');
  return first === 'day-keys' ? second : first;
}

export function toObjectKeys(file: FileRow): string[] {
  return Array.from({ length: file.chunk_count }, (_, chunk) => chunkKey(file.id, chunk));
}

async function severalAtOnce<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: requestsAtOnce }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}
