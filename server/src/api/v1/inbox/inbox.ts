import { limits } from '@waybill/protocol';
import {
  AckInput,
  ClaimedEntries,
  ClaimInput,
  defaultLeaseSeconds,
  InboxEntry,
  InboxEntryDetails,
  InboxEntryPage,
  InboxEntryParams,
  InboxFileParams,
  ListInboxQuery,
  NackInput,
  RenewInput,
} from '@waybill/protocol/v1';
import type { Static } from 'typebox';
import type { InboxFile } from '../../../domain/files/file-store.ts';
import {
  acknowledgeEntry,
  claimEntries,
  giveEntryBack,
  releaseEntry,
  renewLease,
} from '../../../domain/inbox/change-entry.ts';
import { addFiles, findEntryWithFiles, listQueuedEntries } from '../../../domain/inbox/find-entry.ts';
import { findInboxFileById } from '../../../domain/inbox/find-inbox-file.ts';
import type { QueuedEntry, QueuePosition } from '../../../domain/inbox/inbox-store.ts';
import { waitForEntry } from '../../../domain/inbox/wait-for-entry.ts';
import { toReference } from '../../../domain/reference.ts';
import { findWantedOf } from '../../../domain/requests/find-wanted.ts';
import { replyWithInboxFile, replyWithInboxZip } from '../../../http/transfer/reply-with-inbox.ts';
import { fileBytes, zipBytes } from '../../shared/openapi.ts';
import { parsePageQuery } from '../cursor.ts';
import { type KeyRoute, route } from '../route.ts';

const scope = 'receive';

const listInbox = route({
  method: 'GET',
  path: '/inbox',
  id: 'listInbox',
  summary: 'List what was sent to the account: newest first, or those in one state, longest in it first',
  scope,
  query: ListInboxQuery,
  response: { status: 200, description: 'A page of entries.', schema: InboxEntryPage },
  errors: [],
  async handle({ engines, caller, query }) {
    const page = parsePageQuery<QueuePosition>(engines, caller, 'inbox', query, ({ at, id }) => ({ at, id }));
    const { state, request_id: requestId, external_id: externalId, reference } = query;
    const filter = { state, requestId, externalId, reference };
    const entries = await listQueuedEntries(engines, caller.accountId, filter, page.after, page.count);
    return { body: page.response(entries, toInboxEntry) };
  },
});

const claimInbox = route({
  method: 'POST',
  path: '/inbox/claim',
  id: 'claimInboxEntries',
  summary: 'Claim entries, or wait for one: no one else gets them until their lease ends',
  scope,
  body: ClaimInput,
  response: { status: 200, description: 'The claimed entries; none if none is available.', schema: ClaimedEntries },
  errors: [],
  async prepare({ engines, caller, body: { wait = 0 }, gone, revoked, authenticateAgain }) {
    if (wait === 0) return;
    await waitForEntry(engines, caller, wait, AbortSignal.any([gone, revoked]));
    revoked.throwIfAborted();
    await authenticateAgain();
  },
  async handle({ engines, caller, body: { max: maxEntries = 1, lease_seconds: leaseSeconds = defaultLeaseSeconds } }) {
    const { leaseId, entries } = await claimEntries(engines, caller, { maxEntries, leaseSeconds });
    const withFiles = await addFiles(engines, caller, entries, limits.filesPerClaim);
    return {
      body: {
        data: withFiles.map(({ files, ...entry }) => {
          return { ...toInboxEntry(entry), lease: leaseId, files: files?.map(toInboxFile) ?? null };
        }),
      },
    };
  },
});

const getInboxEntry = route({
  method: 'GET',
  path: '/inbox/:id',
  id: 'getInboxEntry',
  summary: 'Get an entry and its files',
  scope,
  params: InboxEntryParams,
  response: { status: 200, description: 'The entry.', schema: InboxEntryDetails },
  errors: ['not_found'],
  async handle({ engines, caller, params }) {
    const { files, ...entry } = await findEntryWithFiles(engines, caller, params.id);
    const wanted = await findWantedOf(engines, caller.accountId, entry);
    return { body: { ...toInboxEntry(entry), wanted_files: wanted, files: files.map(toInboxFile) } };
  },
});

const renewInboxLease = route({
  method: 'POST',
  path: '/inbox/:id/renew',
  id: 'renewInboxLease',
  summary: 'Hold the lease of an entry for longer',
  scope,
  params: InboxEntryParams,
  body: RenewInput,
  response: { status: 200, description: 'The entry, with the new end of its lease.', schema: InboxEntry },
  errors: ['not_found', 'lease_not_held'],
  handle: async ({
    engines,
    caller,
    params: { id },
    body: { lease: leaseId, lease_seconds: leaseSeconds = defaultLeaseSeconds },
  }) => ({
    body: toInboxEntry(await renewLease(engines, caller, { id, leaseId }, leaseSeconds)),
  }),
});

const ackInboxEntry = route({
  method: 'POST',
  path: '/inbox/:id/ack',
  id: 'ackInboxEntry',
  summary: 'Acknowledge an entry: it is done, and is not claimed again',
  scope,
  params: InboxEntryParams,
  body: AckInput,
  response: { status: 204, description: 'It is acknowledged, now or already before under the same lease.' },
  errors: ['not_found', 'lease_not_held'],
  async handle({ engines, caller, params: { id }, body: { lease: leaseId } }) {
    await acknowledgeEntry(engines, caller, { id, leaseId });
    return {};
  },
});

const nackInboxEntry = route({
  method: 'POST',
  path: '/inbox/:id/nack',
  id: 'nackInboxEntry',
  summary: 'Refuse an entry: it can be claimed again after a while, or is parked after its last attempt',
  scope,
  params: InboxEntryParams,
  body: NackInput,
  response: { status: 200, description: 'The entry, available or parked.', schema: InboxEntry },
  errors: ['not_found', 'lease_not_held'],
  handle: async ({ engines, caller, params: { id }, body: { lease: leaseId, delay_seconds: delaySeconds } }) => ({
    body: toInboxEntry(await giveEntryBack(engines, caller, { id, leaseId }, delaySeconds)),
  }),
});

const releaseInboxEntry = route({
  method: 'POST',
  path: '/inbox/:id/release',
  id: 'releaseInboxEntry',
  summary: 'Release a parked entry: it can be claimed again, as often as a new one',
  scope,
  params: InboxEntryParams,
  response: { status: 200, description: 'The entry, available.', schema: InboxEntry },
  errors: ['not_found', 'not_parked'],
  handle: async ({ engines, caller, params: { id } }) => ({
    body: toInboxEntry(await releaseEntry(engines, caller, id)),
  }),
});

const downloadErrors = ['not_found', 'range_not_satisfiable', 'link_ended', 'link_revoked', 'damaged'] as const;

const fileRoutes = (['GET', 'HEAD'] as const).map(
  (method): KeyRoute => ({
    method,
    path: '/inbox/:id/files/:file',
    id: method === 'GET' ? 'downloadInboxFile' : 'describeInboxFile',
    summary: method === 'GET' ? 'Download a file of an entry, or a range of it' : 'Get the headers of a download',
    scope,
    params: InboxFileParams,
    response: { status: 200, description: 'The file.', bytes: fileBytes },
    errors: downloadErrors,
    stream: {
      curl: method === 'GET' ? ['-C -', '-o "$NAME"'] : ['-I'],
      async serve({ caller: actor, ...call }) {
        const { id, file } = call.request.params as Static<typeof InboxFileParams>;
        return replyWithInboxFile({ ...call, actor }, await findInboxFileById(call.engines, actor, id, file));
      },
    },
  }),
);

const zipRoutes = (['GET', 'HEAD'] as const).map(
  (method): KeyRoute => ({
    method,
    path: '/inbox/:id/all.zip',
    id: method === 'GET' ? 'downloadInboxZip' : 'describeInboxZip',
    summary:
      method === 'GET' ? 'Download all files of an entry as a ZIP, or a range of it' : 'Get the headers of a ZIP',
    scope,
    params: InboxEntryParams,
    response: { status: 200, description: 'The files, in their folders.', bytes: zipBytes },
    errors: downloadErrors,
    stream: {
      curl: method === 'GET' ? ['-C -', '-o all.zip'] : ['-I'],
      serve: ({ caller: actor, ...call }) =>
        replyWithInboxZip({ ...call, actor }, (call.request.params as Static<typeof InboxEntryParams>).id),
    },
  }),
);

export const inboxRoutes: readonly KeyRoute[] = [
  listInbox,
  claimInbox,
  getInboxEntry,
  renewInboxLease,
  ackInboxEntry,
  nackInboxEntry,
  releaseInboxEntry,
  ...fileRoutes,
  ...zipRoutes,
];

function toInboxEntry(entry: QueuedEntry) {
  const { id, state, sender, title, message, requestId, referredId, externalId, isUnsolicited, fileCount } = entry;
  const { receivedAt, expiresAt, attempts, dueAt } = entry;
  return {
    id,
    state,
    sender,
    title,
    message,
    request_id: requestId,
    reference: toReference(referredId),
    external_id: externalId,
    unsolicited: isUnsolicited,
    file_count: fileCount,
    received_at: receivedAt,
    expires_at: expiresAt,
    attempts,
    available_at: state === 'available' ? dueAt : null,
    lease_ends_at: state === 'claimed' ? dueAt : null,
    parked_at: state === 'parked' ? dueAt : null,
    acknowledged_at: state === 'acknowledged' ? dueAt : null,
  };
}

function toInboxFile({ id, name, path, sizeBytes, sha256, scan, unscannedReason, wanted }: InboxFile) {
  return {
    id,
    name,
    path,
    size: sizeBytes,
    sha256: sha256.toString('hex'),
    scan,
    unscanned_reason: unscannedReason,
    wanted_file: wanted,
  };
}
