import { CheckedDrop, CreatedDrop, Drop, DropDetails, DropPage, DryRunQuery, NewDrop } from '@waybill/protocol/v1';
import { findSentDrop, listSentFiles, listSentReceivers } from '../../../domain/drops/find-sent-drops.ts';
import { checkDrop, prepareDrop } from '../../../domain/drops/send-drop.ts';
import type { SentDrop, SentFile, SentReceiver } from '../../../domain/drops/sent-drop-store.ts';
import { toETag } from '../etag.ts';
import { type CallEngines, type Result, route } from '../route.ts';
import { receiptRoutes } from '../sent/receipts.ts';
import {
  createdResult,
  listRoute,
  type SentKind,
  sentParams,
  toDispatchInput,
  toSent,
  toSentReceiver,
} from '../sent/sent.ts';
import { changeRoutes } from '../sent/sent-changes.ts';

const drops: SentKind = {
  type: 'downloadfiles',
  noun: 'drop',
  path: '/drops',
  page: 'd',
  schema: Drop,
  toEntry: (engines, drop) => ({ ...toSent(engines, drop), file_count: drop.fileCount }),
};

const createDrop = route({
  method: 'POST',
  path: '/drops',
  id: 'createDrop',
  summary: 'Send uploads to receivers: all of it, or nothing if anything is wrong',
  scope: 'send',
  query: DryRunQuery,
  body: NewDrop,
  example: {
    uploads: ['0199c1d2-7f00-7000-8000-2f9d4c6b1a3e'],
    receivers: [{ email: 'anna@example.org', language: 'sv' }],
    message: 'The drawings of May.',
    expires_in: 604_800,
    external_id: 'order-4711',
  },
  response: { status: 201, description: 'The drop.', schema: CreatedDrop },
  otherResponse: { status: 200, description: 'With `dry_run=true`: nothing is wrong.', schema: CheckedDrop },
  errors: [
    'not_found',
    'files_not_ready',
    'infected',
    'encrypted',
    'damaged',
    'too_large_to_scan',
    'digest_mismatch',
    'recipient_not_allowed',
    'daily_limit',
    'too_many_messages',
  ],
  isVersioned: true,
  async prepare({ engines, caller, query, body }): Promise<(within: Pick<CallEngines, 'store'>) => Promise<Result>> {
    const input = { ...toDispatchInput(body), uploads: body.uploads };
    if (query.dry_run) {
      const { receivers, uploads, lifetimeSeconds } = await checkDrop(engines, caller, input);
      const response = {
        dry_run: true,
        receiver_count: receivers.length,
        file_count: uploads.length,
        size: uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
        expires_in: lifetimeSeconds,
      };
      return async () => ({ status: 200, body: response });
    }
    const make = await prepareDrop(engines, caller, input);
    return async (within) => createdResult(drops, { ...engines, ...within }, caller.accountId, await make(within));
  },
  handle: ({ engines, prepared }) => prepared(engines),
});

const listDrops = listRoute(drops, {
  id: 'listDrops',
  summary: 'List what the account has sent, newest first',
  response: { status: 200, description: 'A page of drops.', schema: DropPage },
});

const readDrop = route({
  method: 'GET',
  path: '/drops/:id',
  id: 'readDrop',
  summary: 'Get a drop, with the state of every receiver and every file',
  scope: 'history',
  params: sentParams(drops),
  response: { status: 200, description: 'The drop.', schema: DropDetails },
  errors: ['not_found'],
  isVersioned: true,
  async handle({ engines, caller: { accountId }, params: { id } }) {
    const drop = await findSentDrop(engines, { accountId }, { type: drops.type, dropId: id });
    const [receivers, files] = [
      await listSentReceivers(engines, accountId, id),
      await listSentFiles(engines, accountId, id),
    ];
    const body = {
      ...drops.toEntry(engines, drop),
      deliveries_purged: drop.isPurged,
      receivers: receivers.map(toDropReceiver),
      files: files.map((file) => toDropFile(drop, file)),
    };
    return { body, headers: toETag(drop.version) };
  },
});

const dropChanges = changeRoutes(drops, {
  revoke: { id: 'revokeDrop', summary: 'End a drop at once, or only the link of one receiver' },
  extend: { id: 'extendDrop', summary: 'Move the deadline of a drop to a later time' },
  remind: { id: 'remindReceivers', summary: 'Remind the receivers who have not fetched everything' },
  add: { id: 'addReceiver', summary: 'Send a drop to another receiver too' },
  resend: { id: 'resendInvitation', summary: 'Send a receiver the mail with their link again' },
});

const dropReceipts = receiptRoutes(drops, {
  pdf: { id: 'downloadDropReceipt', summary: 'Get the receipt of a receiver as a PDF' },
  json: { id: 'readDropReceipt', summary: 'Get the receipt of a receiver as JSON' },
});

export const dropRoutes = [createDrop, listDrops, readDrop, ...dropChanges, ...dropReceipts];

function toDropReceiver(receiver: SentReceiver) {
  return {
    ...toSentReceiver(receiver, 'completed'),
    completed_at: receiver.completedAt,
    files_delivered: receiver.filesDelivered,
  };
}

function toDropFile(drop: SentDrop, file: SentFile) {
  return {
    id: file.id,
    name: file.name,
    path: file.path,
    media_type: file.mediaType,
    size: file.sizeBytes,
    sha256: file.sha256.toString('hex'),
    scan: file.scan,
    unscanned_reason: file.unscannedReason,
    state: file.isStored && drop.state === 'live' ? 'available' : 'deleted',
    receivers_delivered: file.receiversDelivered,
  };
}
