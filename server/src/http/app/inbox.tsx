import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { finishEntry, releaseEntry, reopenEntry } from '../../domain/inbox/change-entry.ts';
import { findEntryWithFiles } from '../../domain/inbox/find-entry.ts';
import { findInboxFileById } from '../../domain/inbox/find-inbox-file.ts';
import type { ListedEntry, QueuedEntry, QueuePosition } from '../../domain/inbox/inbox-store.ts';
import { isUuid } from '../../domain/is-uuid.ts';
import { toReference } from '../../domain/reference.ts';
import { Toast } from '../../views/components/toast.tsx';
import type { InboxEntryProps } from '../../views/pages/app/inbox-entry.tsx';
import { type InboxLine, InboxPage, type InboxPart, inboxTitle } from '../../views/pages/app/inbox-page.tsx';
import { toHref } from '../../views/pages/app/list-props.ts';
import { sendInboxFile, sendInboxZip } from '../shared/send-inbox.ts';
import type { AppRoute, MemberVisit } from './app-route.ts';
import { readListPage } from './list-page.ts';
import { sendScreen } from './send-screen.tsx';

const path = '/:user/inbox';
const entryPath = `${path}/:id`;
const searchLength = 200;
const notices = { done: 'inbox.markedDone', reopened: 'inbox.reopened', released: 'inbox.released' } as const;
type Notice = keyof typeof notices;

/** What was sent to the account. Readers see and download everything; members also decide what is done. */
export const inboxRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'reader', handle: (visit) => sendInbox(visit) },
  {
    method: 'GET',
    path: entryPath,
    access: 'reader',
    async handle(visit) {
      const { engines, actor, person, request } = visit;
      const id = readId(visit);
      const { select } = request.query as { select?: unknown };
      const entry = await findEntryWithFiles(engines, actor, id);
      if (entry.isUnread) await engines.store.inbox.markSeen(actor.accountId, id, person.id);
      const downloaded = await engines.store.inbox.downloadedFiles(actor.accountId, id);
      return sendInbox(visit, {
        ...toEntry(entry),
        files: entry.files.map((file) => ({ ...file, isDownloaded: downloaded.has(file.id) })),
        selectsAll: select === 'all',
      });
    },
  },
  change('done', finishEntry),
  change('reopen', reopenEntry),
  change('release', releaseEntry),
  ...(['GET', 'HEAD'] as const).flatMap((method): AppRoute[] => [
    {
      method,
      path: `${entryPath}/files/:file`,
      access: 'reader',
      transfer: true,
      async handle(visit) {
        const { file } = visit.request.params as { file: string };
        if (!isUuid(file)) throw new ExchangeError('not_found');
        return sendInboxFile(visit, await findInboxFileById(visit.engines, visit.actor, readId(visit), file));
      },
    },
    {
      method,
      path: `${entryPath}/all.zip`,
      access: 'reader',
      transfer: true,
      handle: (visit) => sendInboxZip(visit, readId(visit)),
    },
    {
      method,
      path: `${entryPath}/files.zip`,
      access: 'reader',
      transfer: true,
      async handle(visit) {
        const chosen = readChosen(visit);
        // Without a script, the button can be pressed although nothing is chosen.
        if (chosen.size === 0) return visit.reply.redirect(`${visit.base}inbox/${readId(visit)}`, 303);
        return sendInboxZip(visit, readId(visit), chosen);
      },
    },
  ]),
];

/** Makes a change, and shows the list if the entry has left it. */
function change(
  name: 'done' | 'reopen' | 'release',
  make: (engines: MemberVisit['engines'], actor: MemberVisit['actor'], id: string) => Promise<unknown>,
): AppRoute {
  const notice: Notice = name === 'done' ? 'done' : name === 'reopen' ? 'reopened' : 'released';
  return {
    method: 'POST',
    path: `${entryPath}/${name}`,
    access: 'member',
    async handle(visit) {
      const id = readId(visit);
      await make(visit.engines, visit.actor, id);
      const place = name === 'done' ? `${visit.base}inbox` : `${visit.base}inbox/${id}`;
      return visit.reply.redirect(toHref(place, { notice }), 303);
    },
  };
}

function readId({ request }: MemberVisit): string {
  const { id } = request.params as { id: string };
  if (!isUuid(id)) throw new ExchangeError('not_found');
  return id;
}

/** The places of the chosen files in the entry. */
function readChosen({ request }: MemberVisit): ReadonlySet<number> {
  const { file = [] } = request.query as { file?: string | string[] };
  const places = [file].flat();
  if (!places.every((place) => /^\d{1,4}$/.test(place))) throw new ExchangeError('not_found');
  return new Set(places.map(Number));
}

async function sendInbox(visit: MemberVisit, entry?: InboxEntryProps): Promise<FastifyReply> {
  const { engines, actor, base, canChange, csrf, translator, request } = visit;
  const query = request.query as Record<string, unknown>;
  const part: InboxPart = query['part'] === 'done' ? 'done' : 'open';
  const search = typeof query['q'] === 'string' ? query['q'].trim().slice(0, searchLength) : '';
  const fields = { ...(part === 'done' && { part }), ...(search !== '' && { q: search }) };
  const page = readListPage<QueuePosition>(visit, `${base}inbox`, fields, ({ at, id }) => ({ at, id }));
  const found = await engines.store.inbox.list(actor.accountId, { part, search }, page.from, page.count);
  const { rows, pages } = page.cut<ListedEntry>(found);
  const { notice, after, before } = query;
  return sendScreen(visit, {
    screen: 'inbox',
    title: inboxTitle(translator, { entry }),
    page: (
      <InboxPage
        base={base}
        csrf={csrf}
        now={new Date()}
        canChange={canChange}
        lines={rows.map(toLine)}
        part={part}
        query={search}
        pages={pages}
        position={{
          after: page.from && typeof after === 'string' ? after : undefined,
          before: page.from && typeof before === 'string' ? before : undefined,
        }}
        entry={entry}
      />
    ),
    ...(isNotice(notice) && { toasts: <Toast tone="good">{translator.t(notices[notice])}</Toast> }),
  });
}

const isNotice = (text: unknown): text is Notice => typeof text === 'string' && Object.hasOwn(notices, text);

function toCommon({ id, sender, senderName, message, receivedAt, state }: QueuedEntry) {
  return { id, sender: { email: sender, name: senderName }, message, receivedAt, state };
}

function toLine(entry: ListedEntry): InboxLine {
  const { fileCount, totalBytes, isUnread, requestId } = entry;
  const requestReference = requestId && toReference(requestId);
  return { ...toCommon(entry), fileCount, totalBytes, isUnread, requestReference, isUnsolicited: false };
}

function toEntry(entry: QueuedEntry): Omit<InboxEntryProps, 'files' | 'selectsAll'> {
  const { expiresAt, requestId } = entry;
  const request = requestId === null ? null : { id: requestId, reference: toReference(requestId) };
  return { ...toCommon(entry), expiresAt, isUnsolicited: false, request };
}
