import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { record } from '../audit/record.ts';
import { requireStorable } from '../contacts/contact-from-input.ts';
import { rememberedDispatches, wasJustDispatched } from '../drops/repetition.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireLive } from '../links/find-link.ts';
import { requireWithinLimits } from '../outbox/require-within-limits.ts';
import type { DeskFile, Engines, Link } from '../ports/index.ts';
import { contactOf, deskOf } from './desk.ts';

/**
 * The contact sends what lies on the desk: one entry in the account's inbox, and a mail that tells its owner. One
 * transaction, under the desk's lock. Returns the files; none when this is the same request again.
 */
export async function sendFiles(
  engines: Pick<Engines, 'store' | 'keys' | 'random' | 'policy' | 'checkpoint' | 'messageLimit'>,
  link: Link,
  message: string,
): Promise<DeskFile[]> {
  const { keys, random, policy, checkpoint } = engines;
  if (message.length > limits.messageLength) throw new ExchangeError('too_large');
  requireStorable([message]);
  const { accountId } = link;
  const draft = deskOf(link);
  const digest = createHash('sha256').update(message).digest();

  return engines.store.transaction(async (tx) => {
    const lockedDesk = await tx.drafts.lock(accountId, draft);
    // What is sent with a form may take days to arrive, and the link may have ended meanwhile.
    requireLive({ ...link, ...(await tx.links.holdLive(link)) });
    const desk = await tx.uploads.desk(accountId, draft);
    const files = desk.filter((file) => file.state === 'ready');
    if (desk.some((file) => file.state === 'uploading' || file.state === 'checking')) {
      throw new ExchangeError('files_not_ready');
    }
    if (files.length === 0) {
      if (wasJustDispatched(lockedDesk, digest)) return [];
      throw new ExchangeError('no_files');
    }
    await requireWithinLimits(engines, draft, [link.sender]);
    const dropId = random.uuid();
    await tx.drops.insert(accountId, {
      id: dropId,
      type: 'receivedfiles',
      message,
      ttl: link.ttl,
      ttlSeconds: link.ttl * policy.desttime.unitSeconds,
      receiverCount: 0,
      fileCount: files.length,
      linkKey: null,
      keyVersion: keys.currentVersion,
      reminderSeconds: null,
      from: { dropId: link.dropId, position: link.position },
    });
    // Removing a file does not wait for the desk.
    if ((await tx.files.moveToDrop(accountId, draft, dropId)) !== files.length) {
      throw new ExchangeError('files_not_ready');
    }
    checkpoint('received:files-moved');
    await tx.drops.insertInboxEntry(accountId, { id: random.uuid(), senderAccountId: accountId, dropId });
    await tx.outbox.enqueue(accountId, {
      id: random.uuid(),
      kind: 'received',
      channel: 'mail',
      dropId,
      position: null,
      recipient: link.sender,
    });
    for (const { id, state } of desk) if (state === 'refused') await tx.uploads.remove(accountId, draft, id);
    await tx.drafts.consume(accountId, draft, { digest, type: 'uploadfiles', remembered: rememberedDispatches });
    await record(engines, tx, {
      accountId,
      actor: contactOf(link).email,
      action: 'files.received',
      details: { dropId, grantId: link.dropId, files: files.length },
    });
    checkpoint('received:before-commit');
    return files;
  });
}
