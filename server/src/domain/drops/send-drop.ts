import type { Receiver } from '@waybill/protocol';
import { excessOf } from '../accounts/count-dispatch.ts';
import { secondsToMidnight } from '../accounts/daily-limits.ts';
import { policyOf } from '../accounts/policy-of.ts';
import { requireStorable } from '../contacts/contact-from-input.ts';
import { ExchangeError } from '../exchange-error.ts';
import { prepareForDay } from '../keys/prepare-for-day.ts';
import type { AccountUpload, Actor, Engines, Policy, SecondFactor, SenderChoices, Store } from '../ports/index.ts';
import { Faults } from '../requests/faults.ts';
import { lockUploads, moveUploads } from '../uploads/send-uploads.ts';
import { checkLifetime, type LifetimeWish } from './lifetime.ts';
import { linkToken } from './link-token.ts';
import { checkNumber, checkReceiver, type ReceiverWish, receiverFrom } from './receiver-wish.ts';
import { writeDrop } from './write-drop.ts';

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'random' | 'checkpoint' | 'policy' | 'messageLimit' | 'sms'>;

export interface DropWish extends LifetimeWish, SenderChoices {
  /** The ids of uploads of the account. */
  readonly uploads: readonly string[];
  readonly receivers: readonly ReceiverWish[];
  readonly message: string;
}

/** A dispatch in which nothing is wrong. */
export interface CheckedDrop {
  readonly receivers: readonly Receiver[];
  readonly uploads: readonly AccountUpload[];
  readonly ttlSeconds: number;
}

/** The drop that was made, and the token of each receiver in their order. */
export interface MadeDrop {
  readonly id: string;
  readonly receivers: readonly Receiver[];
  readonly tokens: readonly string[];
}

/**
 * Looks at everything before it refuses anything: the error names each fault. Changes nothing. How many messages an
 * account and a receiver may have in an hour is decided when the drop is made.
 */
export async function checkDrop(engines: Needs, actor: Actor, wish: DropWish): Promise<CheckedDrop> {
  const { store } = engines;
  const policy = await policyOf(engines, actor.accountId);
  const faults = new Faults();
  checkTexts(faults, wish);
  const ttlSeconds = checkLifetime(faults, wish, policy.desttime);
  checkSecondFactor(faults, engines, policy, wish.secondFactor);
  const receivers = await checkReceivers(faults, store, actor, policy, wish);
  const found = await store.uploads.ofAccount(actor.accountId, wish.uploads);
  const uploads = checkUploads(faults, wish.uploads, new Map(found.map((upload) => [upload.id, upload])));
  const mails = wish.notify ? wish.receivers.length : 0;
  const usage = await store.quotas.usage(actor.accountId);
  const excess = excessOf(
    policy,
    { dropsToday: usage.dropsToday + 1, mailsToday: usage.mailsToday + mails },
    { drops: 1, mails },
  );
  if (excess !== undefined) faults.add('', 'daily_limit', excess);
  faults.throwIfAny(secondsToMidnight());
  return { receivers, uploads, ttlSeconds: ttlSeconds as number };
}

/**
 * Checks the dispatch and fetches keys, which may be slow. What is returned makes the drop, in one transaction or as
 * part of the caller's: everything happens or nothing does.
 */
export async function prepareDrop(
  engines: Needs,
  actor: Actor,
  wish: DropWish,
): Promise<(store: Store) => Promise<MadeDrop>> {
  const { random, dayKeys, checkpoint } = engines;
  const { receivers, ttlSeconds } = await checkDrop(engines, actor, wish);
  const policy = await policyOf(engines, actor.accountId);
  const id = random.uuid();
  const linkKey = random.bytes(32);
  const wrappedLinkKey = await dayKeys.wrap(linkKey, id, ttlSeconds);
  const wrapForDay = await prepareForDay(engines, actor.accountId, { files: wish.uploads }, ttlSeconds);
  const { message, reference, metadata, secondFactor, notify } = wish;
  return async (store) => {
    await store.transaction(async (tx) => {
      const locked = await lockUploads(tx, actor.accountId, wish.uploads);
      // One of them may have been sent or removed since it was checked.
      const faults = new Faults();
      const uploads = checkUploads(faults, wish.uploads, locked);
      faults.throwIfAny();
      checkpoint('drop:draft-locked');
      await writeDrop(engines, tx, actor, policy, {
        id,
        type: 'downloadfiles',
        message,
        ttl: Math.ceil(ttlSeconds / policy.desttime.unitSeconds),
        ttlSeconds,
        receivers,
        fileCount: uploads.length,
        linkKey,
        wrappedLinkKey,
        choices: { reference, metadata, secondFactor, notify },
        async moveFiles() {
          await moveUploads(tx, actor.accountId, id, uploads);
          await wrapForDay(tx, id);
        },
      });
      checkpoint('drop:before-commit');
    });
    return { id, receivers, tokens: receivers.map((_, position) => linkToken(linkKey, position)) };
  };
}

function checkTexts(faults: Faults, { message, reference, metadata }: DropWish): void {
  faults.check('/message', () => requireStorable([message]));
  if (reference !== null) faults.check('/reference', () => requireStorable([reference]));
  for (const [name, value] of Object.entries(metadata ?? {})) {
    faults.check(`/metadata/${name}`, () => requireStorable([value]));
  }
}

const strength: Record<SecondFactor, number> = { off: 0, mail: 1, sms: 2 };

/** A sender may ask for more than what applies to the account, and not for less. */
function checkSecondFactor(
  faults: Faults,
  { sms }: Pick<Engines, 'sms'>,
  policy: Pick<Policy, 'secondFactor'>,
  factor: SecondFactor | null,
): void {
  if (factor === null) return;
  if (strength[factor] < strength[policy.secondFactor]) {
    const detail = `The account must ask receivers for a code: "${policy.secondFactor}" is the least.`;
    faults.add('/second_factor', 'invalid_input', detail);
  }
  if (factor === 'sms' && !sms) faults.add('/second_factor', 'invalid_input', 'This server does not send SMS.');
}

async function checkReceivers(
  faults: Faults,
  store: Store,
  actor: Actor,
  policy: Policy,
  wish: DropWish,
): Promise<Receiver[]> {
  const emails = wish.receivers.map((receiver, index) =>
    checkReceiver(faults, `/receivers/${index}`, receiver, policy),
  );
  const known = emails.filter((email) => email !== undefined);
  const contacts = new Map((await store.contacts.find(actor.accountId, known)).map((found) => [found.email, found]));
  const seen = new Set<string>();
  return wish.receivers.flatMap((asked, index) => {
    const email = emails[index];
    if (email === undefined) return [];
    if (seen.has(email)) {
      faults.add(`/receivers/${index}/email`, 'invalid_input', `${email} is a receiver already.`);
      return [];
    }
    seen.add(email);
    const receiver = receiverFrom(asked, email, contacts.get(email));
    checkNumber(faults, `/receivers/${index}`, receiver, wish.secondFactor);
    return [receiver];
  });
}

/** In the order of the request. */
function checkUploads(
  faults: Faults,
  ids: readonly string[],
  found: ReadonlyMap<string, AccountUpload>,
): AccountUpload[] {
  const seen = new Set<string>();
  const paths = new Set<string>();
  return ids.flatMap((id, index) => {
    const pointer = `/uploads/${index}`;
    const upload = found.get(id);
    if (seen.has(id)) faults.add(pointer, 'invalid_input', 'This upload is named twice.');
    else if (!upload) faults.add(pointer, 'not_found', 'The account has no such upload, or it was sent already.');
    else if (upload.state !== 'ready') {
      faults.check(pointer, () => {
        throw notReady(upload);
      });
    } else if (paths.has(upload.path)) {
      faults.add(pointer, 'invalid_input', `Another upload has the path ${JSON.stringify(upload.path)} too.`);
    }
    seen.add(id);
    if (upload) paths.add(upload.path);
    return upload ? [upload] : [];
  });
}

function notReady({ state, refusal }: AccountUpload): ExchangeError {
  if (state !== 'refused') return new ExchangeError('files_not_ready', 'It is still on its way or being checked.');
  return refusal === null || refusal === 'unchecked'
    ? new ExchangeError('files_not_ready', 'It could not be checked. Upload the file again.')
    : new ExchangeError(refusal);
}
