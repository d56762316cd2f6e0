import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { requireWithinLimits } from '../accounts/require-allowed-receivers.ts';
import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import { requireStorable } from '../contacts/contact-from-input.ts';
import { rememberedDispatches, wasJustDispatched } from '../drops/dispatch-draft.ts';
import type { Engines } from '../engines.ts';
import { toReceiverData } from '../events/drop-events.ts';
import { describeSubmission } from '../evidence/submission-evidence.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requirePlaces, type WantedPlaces } from '../files/wanted-files.ts';
import { prepareForDay } from '../keys/prepare-for-day.ts';
import { requireLive, requireUnused } from '../links/find-link.ts';
import type { Link } from '../links/link-store.ts';
import { toReference } from '../reference.ts';
import { contactDraftName } from '../uploads/contact-draft.ts';
import type { DraftFile } from '../uploads/upload-store.ts';

/**
 * Sends the files in a contact draft: adds one entry to the account's inbox, a mail that tells the account's owner, and
 * one that confirms it to the contact. One transaction, under the draft's lock. Returns the files, or none if this
 * request was already carried out.
 */
export async function sendFiles(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy' | 'checkpoint' | 'messageLimit'>,
  link: Link,
  message: string,
  address?: string,
  places: WantedPlaces = new Map(),
): Promise<DraftFile[]> {
  const { random, policy, checkpoint } = engines;
  if (message.length > limits.messageLength) throw new ExchangeError('too_large');
  requireStorable([message]);
  requirePlaces(link.wanted, places);
  const { accountId } = link;
  const draft = contactDraftName(link);
  const digest = createHash('sha256').update(message).digest();
  const lifetimeSeconds = link.lifetime * policy.lifetime.unitSeconds;
  const wrapForDay = await prepareForDay(engines, accountId, { draft }, lifetimeSeconds);

  return engines.store.transaction(async (tx) => {
    await tx.links.awaitOtherContacts(link);
    const lockedDraft = await tx.drafts.lock(accountId, draft);
    // A form may take days to arrive, and the link may have ended in the meantime.
    const held = await tx.links.holdLive(link);
    requireLive(held);
    const draftFiles = await tx.uploads.listDraftFiles(accountId, draft);
    const files = draftFiles.filter((file) => file.state === 'ready');
    if (draftFiles.some((file) => file.state === 'uploading' || file.state === 'checking')) {
      throw new ExchangeError('files_not_ready');
    }
    if (files.length === 0) {
      if (wasJustDispatched(lockedDraft, digest)) return [];
      throw new ExchangeError('no_files');
    }
    requireUnused(held);
    await requireWithinLimits(engines, link, draft, [link.sender, link.receiver]);
    const dropId = random.uuid();
    const expiresAt = await tx.drops.insert(
      accountId,
      {
        id: dropId,
        type: 'receivedfiles',
        message,
        lifetime: link.lifetime,
        lifetimeSeconds,
        receiverCount: 0,
        fileCount: files.length,
        linkKey: null,
        reminderSeconds: null,
        from: { dropId: link.dropId, position: link.position },
        isUnsolicited: link.isUnsolicited,
      },
      [],
    );
    // Removing a file does not wait for the draft's lock.
    const moved = await tx.files.moveToDrop(accountId, draft, dropId);
    if (moved.length !== files.length) throw new ExchangeError('files_not_ready');
    if (places.size > 0) await tx.files.setWanted(accountId, dropId, places);
    await wrapForDay(tx, dropId);
    checkpoint('received:files-moved');
    const inboxId = random.uuid();
    await tx.drops.insertInboxEntries(accountId, dropId, [{ accountId, id: inboxId }]);
    await tx.outbox.tell(accountId, { kind: 'received', dropId, position: null });
    await tx.outbox.enqueue(accountId, {
      id: random.uuid(),
      kind: 'confirmation',
      channel: 'mail',
      dropId,
      position: null,
      receiver: link.receiver,
    });
    for (const { id, state } of draftFiles) if (state === 'refused') await tx.uploads.remove(accountId, draft, id);
    await tx.drafts.consume(accountId, draft, { digest, type: 'uploadfiles', remembered: rememberedDispatches });
    await record(engines, tx, {
      accountId,
      author: linkAuthor(link, address, link.receiver),
      action: 'files.received',
      addresses: [link.receiver],
      details: { dropId, requestId: link.dropId, files: files.length },
    });
    await tx.evidence.append([
      describeSubmission({
        accountId,
        dropId,
        type: 'drop',
        sender: link.receiver,
        author: linkAuthor(link, address),
        files: moved,
        receiverCount: 0,
        expiresAt,
        message,
      }),
      {
        accountId,
        dropId: link.dropId,
        position: link.position,
        kind: 'content.received',
        data: { reference: toReference(dropId), files: moved },
      },
    ]);
    const isFulfilled = await tx.links.fulfil(link);
    const event = { accountId, about: { accountId, dropId: link.dropId } };
    const received = { inbox_id: inboxId, files: files.length };
    const request = { request_id: link.dropId };
    const inInbox = { sender: link.receiver, ...received };
    // The account does not know the request of a visitor of its public page, as it did not make it.
    await tx.events.append(
      link.isUnsolicited
        ? [{ ...event, type: 'inbox.received', data: { ...inInbox, request_id: null } }]
        : [
            { ...event, type: 'request.received', data: { ...request, ...toReceiverData(link), ...received } },
            { ...event, type: 'inbox.received', data: { ...inInbox, ...request } },
            ...(isFulfilled ? [{ ...event, type: 'request.fulfilled', data: request } as const] : []),
          ],
    );
    checkpoint('received:before-commit');
    return files;
  });
}
