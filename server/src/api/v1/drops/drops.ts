import { CheckedDrop, CreatedDrop, Drop, DropDetails, DropPage, NewDrop } from '@waybill/protocol/v1';
import type { KeyActor } from '../../../domain/actor.ts';
import { listSentFiles, mayReadHistory } from '../../../domain/drops/find-sent-drops.ts';
import { checkDrop, type DropInput, prepareDrop } from '../../../domain/drops/send-drop.ts';
import type { SentDrop, SentFile } from '../../../domain/drops/sent-drop-store.ts';
import { receiptRoutes } from '../sent/receipts.ts';
import {
  createRoutes,
  listRoute,
  readRoute,
  type SentKind,
  toDispatchInput,
  toSent,
  toSentReceiver,
} from '../sent/sent.ts';
import { changeRoutes } from '../sent/sent-changes.ts';
import { ownFileRoutes } from './own-files.ts';
import { sharedLinkRoutes, showNewLink, toSharedLinkInput } from './shared-links.ts';

const drops: SentKind = {
  type: 'downloadfiles',
  noun: 'drop',
  path: '/drops',
  page: 'd',
  schemas: { entry: Drop, page: DropPage, details: DropDetails, created: CreatedDrop, checked: CheckedDrop },
  toEntry: (engines, drop) => ({ ...toSent(engines, drop), file_count: drop.fileCount }),
  toSharedLink: showNewLink,
  toReceiver: (receiver) => ({
    ...toSentReceiver(receiver, 'completed'),
    completed_at: receiver.completedAt,
    files_delivered: receiver.filesDelivered,
  }),
};

export const dropRoutes = [
  ...createRoutes(
    drops,
    {
      create: { id: 'createDrop', summary: 'Send uploads to receivers: all of it, or nothing if anything is wrong' },
      check: {
        id: 'checkDrop',
        summary: 'Check whether a drop could be sent: its receivers, uploads and limits; nothing is sent',
      },
      body: NewDrop,
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
        'too_many_files',
        'storage_full',
      ],
    },
    {
      toInput: (body) => ({
        ...toDispatchInput(body),
        uploads: body.uploads,
        sentFiles: body.sent_files,
        ...(body.shared_link && { sharedLink: toSharedLinkInput(body.shared_link) }),
      }),
      check: (engines, caller, input) => checkDrop(engines, caller, forKey(caller, input)),
      describe: ({ uploads, sentFiles }) => ({
        file_count: uploads.length + sentFiles.length,
        size: [...uploads, ...sentFiles].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      }),
      prepare: (engines, caller, input) => prepareDrop(engines, caller, forKey(caller, input)),
    },
  ),
  listRoute(drops, { id: 'listDrops', summary: 'List what the account has sent, newest first' }),
  readRoute(
    drops,
    { id: 'getDrop', summary: 'Get a drop, with the state of every receiver and every file' },
    async (engines, drop, accountId) => {
      const files = await listSentFiles(engines, accountId, drop.id);
      return { files: files.map((file) => toDropFile(drop, file)) };
    },
  ),
  ...changeRoutes(drops, {
    revoke: { id: 'revokeDrop', summary: 'End a drop at once' },
    revokeReceiver: { id: 'revokeDropReceiver', summary: 'End the link of one receiver' },
    extend: { id: 'extendDrop', summary: 'Move the deadline of a drop to a later time' },
    remind: { id: 'remindDropReceivers', summary: 'Remind the receivers who have not fetched everything' },
    add: { id: 'addDropReceiver', summary: 'Send a drop to another receiver too' },
    resend: { id: 'resendDropInvitation', summary: 'Send a receiver the mail with their link again' },
  }),
  ...ownFileRoutes,
  ...sharedLinkRoutes,
  ...receiptRoutes(drops, {
    pdf: { id: 'getDropReceiptPdf', summary: 'Get the receipt of a receiver as a PDF' },
    json: { id: 'getDropReceipt', summary: 'Get the receipt of a receiver as JSON' },
  }),
];

/** A key that may not read the history sends again only what it sent itself. */
function forKey(caller: KeyActor, input: DropInput): DropInput {
  return mayReadHistory(caller) ? input : { ...input, sentByKey: caller.key.id };
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
