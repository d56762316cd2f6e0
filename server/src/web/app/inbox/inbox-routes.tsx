import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { finishEntry, releaseEntry, reopenEntry } from '../../../domain/inbox/change-entry.ts';
import { findEntry, listEntries, openEntry } from '../../../domain/inbox/find-entry.ts';
import { findInboxFileById } from '../../../domain/inbox/find-inbox-file.ts';
import type { ListedEntry, QueuedEntry, QueuePosition } from '../../../domain/inbox/inbox-store.ts';
import { blockSender } from '../../../domain/public-page/block-sender.ts';
import { listSearchedTexts, toReference } from '../../../domain/reference.ts';
import { findWantedOf } from '../../../domain/requests/find-wanted.ts';
import { replyWithInboxFile, replyWithInboxZip } from '../../../http/transfer/reply-with-inbox.ts';
import type { AppRequest, AppRoute, MemberVisit } from '../shared/app-route.ts';
import { readListPage } from '../shared/list-page.ts';
import { toHref } from '../shared/list-props.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import { requireUuid } from '../shared/require-uuid.ts';
import { BlockSenderPage, blockSenderTitle } from './block-sender-page.tsx';
import type { InboxEntryProps } from './inbox-entry.tsx';
import { type InboxNotice, InboxToast, isInboxNotice } from './inbox-notice.tsx';
import { type InboxLine, InboxPage, type InboxPart, inboxTitle } from './inbox-page.tsx';

const path = '/:user/inbox';
const entryPath = `${path}/:id`;
const searchLength = 200;

/** The inbox of the account. Readers see and download everything; members also decide what is done. */
export const inboxRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'reader', handle: (visit) => replyWithInbox(visit) },
  {
    method: 'GET',
    path: entryPath,
    access: 'reader',
    async handle(visit) {
      const { engines, actor, person, request } = visit;
      const id = readId(visit);
      const query = request.query as Record<string, unknown>;
      const read = (name: string) => (typeof query[name] === 'string' ? query[name] : undefined);
      const entry = await openEntry(engines, actor, id, person.id);
      return replyWithInbox(visit, {
        ...toEntry(entry),
        files: entry.files,
        wanted: await findWantedOf(engines, actor.accountId, entry),
        place: { folder: read('folder'), after: read('files') },
        selectsAll: read('select') === 'all',
        reportHref: entry.isUnsolicited && visit.canChange ? `${visit.base}inbox/${id}/report` : undefined,
      });
    },
  },
  {
    method: 'GET',
    path: `${entryPath}/report`,
    access: 'member',
    async handle(visit) {
      const { engines, actor, base, csrf, options, translator } = visit;
      const { id, sender, senderName, dropId, isUnsolicited } = await findEntry(engines, actor, readId(visit));
      if (!isUnsolicited) throw new ExchangeError('not_found');
      const page = (
        <BlockSenderPage
          base={base}
          csrf={csrf}
          entryId={id}
          sender={{ email: sender, name: senderName }}
          reference={toReference(dropId)}
          operator={options.operator.name}
          support={options.operator.supportAddress}
        />
      );
      return replyWithScreen(visit, { screen: 'inbox', title: blockSenderTitle(translator), page });
    },
  },
  change('block', blockSender),
  change('done', finishEntry),
  change('reopen', reopenEntry),
  change('release', releaseOnce),
  ...(['GET', 'HEAD'] as const).flatMap((method): AppRoute[] => [
    {
      method,
      path: `${entryPath}/files/:file`,
      access: 'reader',
      transfer: true,
      async handle(visit) {
        const { file } = visit.request.params as { file: string };
        const found = await findInboxFileById(visit.engines, visit.actor, readId(visit), requireUuid(file));
        return replyWithInboxFile(visit, found);
      },
    },
    {
      method,
      path: `${entryPath}/all.zip`,
      access: 'reader',
      transfer: true,
      handle: (visit) => replyWithInboxZip(visit, readId(visit)),
    },
    {
      method,
      path: `${entryPath}/folders/:folder`,
      access: 'reader',
      transfer: true,
      handle(visit) {
        const { folder } = visit.request.params as { folder: string };
        return replyWithInboxZip(visit, readId(visit), { folders: [folder] });
      },
    },
    {
      method,
      path: `${entryPath}/files.zip`,
      access: 'reader',
      transfer: true,
      async handle(visit) {
        const chosen = readChosen(visit);
        // Without a script, the button can be pressed although nothing is chosen.
        if (chosen.places.size + chosen.folders.length === 0)
          return visit.reply.redirect(`${visit.base}inbox/${readId(visit)}`, 303);
        return replyWithInboxZip(visit, readId(visit), chosen);
      },
    },
  ]),
];

/** A button that is pressed again, or in two tabs, has nothing left to do. */
async function releaseOnce(...entry: Parameters<typeof releaseEntry>): Promise<void> {
  try {
    await releaseEntry(...entry);
  } catch (error) {
    if (!(error instanceof ExchangeError && error.code === 'not_parked')) throw error;
  }
}

/** Makes a change, and shows the list if the entry has left it. */
function change(
  notice: InboxNotice | 'done',
  make: (engines: MemberVisit['engines'], actor: MemberVisit['actor'], id: string) => Promise<unknown>,
): AppRoute {
  return {
    method: 'POST',
    path: `${entryPath}/${notice}`,
    access: 'member',
    async handle(visit) {
      const id = readId(visit);
      await make(visit.engines, visit.actor, id);
      const inbox = `${visit.base}inbox`;
      const href = notice === 'done' ? toHref(inbox, { done: id }) : toHref(`${inbox}/${id}`, { notice });
      return visit.reply.redirect(href, 303);
    },
  };
}

function readId({ request }: AppRequest): string {
  return requireUuid((request.params as { id: string }).id);
}

/** The places of the chosen files in the entry, and the keys of the chosen folders. */
function readChosen({ request }: AppRequest) {
  const { file = [], folder = [] } = request.query as Record<'file' | 'folder', string | string[] | undefined>;
  const places = [file].flat();
  if (!places.every((place) => /^\d{1,4}$/.test(place))) throw new ExchangeError('not_found');
  return { places: new Set(places.map(Number)), folders: [folder].flat().slice(0, 1_000) };
}

async function replyWithInbox(visit: MemberVisit, entry?: InboxEntryProps): Promise<FastifyReply> {
  const { engines, actor, base, canChange, csrf, translator, request } = visit;
  const query = request.query as Record<string, unknown>;
  const part: InboxPart = query['part'] === 'done' ? 'done' : 'open';
  const search = typeof query['q'] === 'string' ? query['q'].trim().slice(0, searchLength) : '';
  const fields = { ...(part === 'done' && { part }), ...(search !== '' && { q: search }) };
  const page = readListPage<QueuePosition>(visit, `${base}inbox`, fields, ({ at, id }) => ({ at, id }));
  const found = await listEntries(
    engines,
    actor.accountId,
    { part, texts: listSearchedTexts(search) },
    page.from,
    page.count,
  );
  const { rows, pages } = page.cut<ListedEntry>(found);
  const isEmpty = part === 'open' && search === '' && rows.length === 0;
  const hasDone =
    isEmpty &&
    (await listEntries(engines, actor.accountId, { part: 'done', texts: listSearchedTexts('') }, undefined, 1)).length >
      0;
  const { notice, after, before, done } = query;
  return replyWithScreen(visit, {
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
        hasDone={hasDone}
        query={search}
        pages={pages}
        position={{
          after: page.from && typeof after === 'string' ? after : undefined,
          before: page.from && typeof before === 'string' ? before : undefined,
        }}
        entry={entry}
        done={typeof done === 'string' && canChange ? await findDone(visit, done) : undefined}
      />
    ),
    ...(isInboxNotice(notice) && { toasts: <InboxToast notice={notice} /> }),
  });
}

/** Finds the entry that the page says is done; it may have been opened again, or have ended, in the meantime. */
async function findDone({ engines, actor }: MemberVisit, id: string): Promise<ReturnType<typeof toCommon> | undefined> {
  const found = await findEntry(engines, actor, id).catch((error: unknown) => {
    if (!(error instanceof ExchangeError && error.code === 'not_found')) throw error;
  });
  return found?.state === 'acknowledged' ? toCommon(found) : undefined;
}

function toCommon({ id, sender, senderName, title, message, receivedAt, state }: QueuedEntry) {
  return { id, sender: { email: sender, name: senderName }, title, message, receivedAt, state };
}

function toLine(entry: ListedEntry): InboxLine {
  const { fileCount, totalBytes, isUnread, requestId, isUnsolicited } = entry;
  const requestReference = requestId && toReference(requestId);
  return { ...toCommon(entry), fileCount, totalBytes, isUnread, requestReference, isUnsolicited };
}

function toEntry(entry: QueuedEntry): Omit<InboxEntryProps, 'files' | 'wanted' | 'place' | 'selectsAll'> {
  const { expiresAt, requestId, isUnsolicited } = entry;
  const request = requestId === null ? null : { id: requestId, reference: toReference(requestId) };
  return { ...toCommon(entry), expiresAt, isUnsolicited, request };
}
