import type { EvidenceFile } from '@waybill/evidence';
import type { DropType } from '@waybill/protocol';
import { countDispatch } from '../accounts/count-dispatch.ts';
import { requireWithinLimits } from '../accounts/require-allowed-receivers.ts';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Receiver } from '../contacts/contact-store.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import type { NewEvent } from '../events/event-store.ts';
import { describeConsignment, describeSubmission } from '../evidence/submission-evidence.ts';
import type { DayWrapped } from '../keys/key-store.ts';
import { linkToken, tokenDigest } from '../links/link-token.ts';
import { chooseStronger } from '../links/second-factor.ts';
import type { AccountPolicy } from '../policy.ts';
import type { Store } from '../store.ts';
import type { NewDrop } from './drop-store.ts';
import { type SharedLinkInput, writeSharedLink } from './write-shared-link.ts';

type Needs = Pick<Engines, 'random' | 'checkpoint' | 'messageLimit' | 'sms'>;

/** A drop or a request with everything that had to be prepared before the transaction. */
export interface DropToWrite {
  readonly id: string;
  readonly type: DropType;
  readonly message: string;
  readonly lifetime: number;
  readonly lifetimeSeconds: number;
  readonly receivers: readonly Receiver[];
  readonly fileCount: number;
  readonly linkKey: Buffer;
  readonly wrappedLinkKey: DayWrapped;
  /** Makes the files those of the drop, and returns them. */
  readonly moveFiles?: (tx: Store) => Promise<EvidenceFile[]>;
  readonly choices?: NonNullable<NewDrop['choices']>;
  readonly passphraseHash?: string | undefined;
  readonly sharedLink?: SharedLinkInput;
}

/**
 * Writes a drop with its links, its files, its entries in inboxes and its mails: a number of statements that does not
 * grow with any of them. The last part of its transaction.
 */
export async function writeDrop(
  engines: Needs,
  tx: Store,
  actor: Actor,
  policy: AccountPolicy,
  drop: DropToWrite,
): Promise<void> {
  const { random, checkpoint } = engines;
  const { id, type, receivers, fileCount } = drop;
  const notify = drop.choices?.notify ?? true;
  const emails = receivers.map((receiver) => receiver.email);
  if (notify) await requireWithinLimits(engines, policy, actor.accountId, emails);
  const links = receivers.map((receiver, position) => ({
    position,
    receiver,
    tokenDigest: tokenDigest(linkToken(drop.linkKey, position)),
  }));
  const expiresAt = await tx.drops.insert(
    actor.accountId,
    {
      id,
      type,
      message: drop.message,
      lifetime: drop.lifetime,
      lifetimeSeconds: drop.lifetimeSeconds,
      reminderSeconds: notify ? reminderSeconds(type, drop.lifetimeSeconds) : null,
      from: null,
      receiverCount: receivers.length,
      fileCount,
      linkKey: drop.wrappedLinkKey,
      author: actor.author,
      ...(drop.choices ? { choices: drop.choices } : {}),
      passphraseHash: drop.passphraseHash,
    },
    links,
  );
  checkpoint('drop:inserted');
  let files: EvidenceFile[] = [];
  let received: NewEvent[] = [];
  if (drop.moveFiles) {
    files = await drop.moveFiles(tx);
    checkpoint('drop:files-moved');
    received = await fillInboxes(engines, tx, actor, { dropId: id, fileCount }, emails);
    checkpoint('drop:inboxes-filled');
  }
  if (notify) {
    const messages = receivers.map((_, position) => ({ id: random.uuid(), position }));
    await tx.outbox.writeToReceivers(actor.accountId, id, 'invitation', messages);
  }
  checkpoint('drop:messages-enqueued');
  await record(engines, tx, {
    accountId: actor.accountId,
    author: actor.author,
    action: type === 'downloadfiles' ? 'drop.created' : 'request.created',
    addresses: emails,
    details: { dropId: id, receivers: receivers.length, files: fileCount },
  });
  const about = { accountId: actor.accountId, dropId: id, author: actor.author };
  const hasPassphrase = drop.passphraseHash !== undefined;
  const factor = chooseStronger(drop.choices?.secondFactor ?? null, policy.secondFactor);
  await tx.evidence.append([
    describeSubmission({
      ...about,
      type: type === 'downloadfiles' ? 'drop' : 'request',
      sender: actor.email,
      files,
      receiverCount: receivers.length,
      expiresAt,
      message: drop.message,
    }),
    ...links.flatMap((link) => describeConsignment(engines, { ...about, ...link, notify, factor, hasPassphrase })),
  ]);
  checkpoint('drop:evidence-written');
  const counts = { receivers: receivers.length, ...(type === 'downloadfiles' && { files: fileCount }) };
  await tx.events.append([
    ...dropEvents({ accountId: actor.accountId, dropId: id, type }, 'created', counts),
    ...received,
  ]);
  if (drop.sharedLink) await writeSharedLink(engines, tx, actor, id, drop.linkKey, drop.sharedLink);
  await countDispatch(tx, policy, actor.accountId, { drops: 1, mails: notify ? receivers.length : 0 });
}

/** A receiver that has an account here also finds the drop in its inbox. Returns the events of these accounts. */
export async function fillInboxes(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  actor: Actor,
  { dropId, fileCount }: { readonly dropId: string; readonly fileCount: number },
  emails: readonly string[],
): Promise<NewEvent[]> {
  const accounts = await tx.accounts.findReceiving(actor.accountId, emails);
  const entries = accounts.map(({ id }) => ({ accountId: id, id: engines.random.uuid() }));
  if (entries.length > 0) {
    await tx.drops.insertInboxEntries(actor.accountId, dropId, entries);
    await tx.outbox.tellReceivers(
      actor.accountId,
      dropId,
      entries.map(({ accountId }) => accountId),
    );
  }
  return entries.map(({ accountId, id }) => ({
    accountId,
    type: 'inbox.received',
    data: { inbox_id: id, sender: actor.email, files: fileCount, request_id: null },
    about: { accountId: actor.accountId, dropId },
  }));
}

/**
 * A new drop's id and the key of its links. Before the transaction: a key provider may be slow, and nothing slow may
 * happen inside a transaction.
 */
export async function prepareLinkKey(
  { dayKeys, random }: Pick<Engines, 'dayKeys' | 'random'>,
  lifetimeSeconds: number,
): Promise<Pick<DropToWrite, 'id' | 'linkKey' | 'wrappedLinkKey'>> {
  const id = random.uuid();
  const linkKey = random.bytes(32);
  return { id, linkKey, wrappedLinkKey: await dayKeys.wrap(linkKey, id, lifetimeSeconds) };
}

const daySeconds = 24 * 60 * 60;

/**
 * How long before the deadline receivers are reminded: a day, or a quarter of the time they have if that is shorter.
 * Only drops with files to download have a reminder.
 */
export function reminderSeconds(type: NewDrop['type'], secondsLeft: number): number | null {
  return type === 'downloadfiles' ? Math.min(daySeconds, secondsLeft / 4) : null;
}
