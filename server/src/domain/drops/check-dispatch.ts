import { limits } from '@waybill/protocol';
import { findExcess } from '../accounts/count-dispatch.ts';
import { readPolicy } from '../accounts/read-policy.ts';
import { linksNotAllowed } from '../accounts/require-allowed-receivers.ts';
import type { Actor } from '../actor.ts';
import type { Receiver } from '../contacts/contact-store.ts';
import type { Engines } from '../engines.ts';
import type { Faults } from '../exchange-error.ts';
import { linkToken } from '../links/link-token.ts';
import { chooseStronger, isWeaker } from '../links/second-factor.ts';
import { hashPassphrase, isGoodPassphrase } from '../passphrases/passphrase.ts';
import type { AccountPolicy, Policy, SecondFactor } from '../policy.ts';
import { toVisibleName } from '../safe-name.ts';
import { maxPasswordLength } from '../sign-in/password.ts';
import { minPasswordLength } from '../sign-in/password-rules.ts';
import { checkLifetime, type LifetimeInput } from './lifetime.ts';
import { checkPhone, checkReceiver, type ReceiverInput, receiverFrom } from './receiver-input.ts';
import type { SenderChoices } from './sent-drop-store.ts';
import { type DropToWrite, prepareLinkKey } from './write-drop.ts';
import { firstSharedPosition, type SharedLinkInput } from './write-shared-link.ts';

/** The properties that a drop and a request for files have in common. */
export interface DispatchInput extends LifetimeInput, SenderChoices {
  readonly receivers: readonly ReceiverInput[];
  readonly message: string;
  /** Receivers have to enter it in addition to a code, if one is required. */
  readonly passphrase?: string | undefined;
  /** One link for all receivers, or for anybody: then there may be no receivers. */
  readonly sharedLink?: SharedLinkInput | undefined;
}

/** A dispatch in which nothing is wrong, if no fault was found. */
export interface CheckedDispatch {
  readonly policy: AccountPolicy;
  readonly receivers: readonly Receiver[];
  readonly lifetimeSeconds: number;
}

/** The new drop or request, and the token of each receiver in their order. */
export interface MadeDispatch {
  readonly id: string;
  readonly receivers: readonly Receiver[];
  readonly tokens: readonly string[];
  /** That of the shared link, if one was made. */
  readonly sharedLink?: { readonly position: number; readonly token: string } | undefined;
}

/**
 * Looks at everything and records each fault. Changes nothing. How many messages an account and a receiver may have in
 * an hour is decided when the dispatch is written.
 */
export async function checkDispatch(
  faults: Faults,
  engines: Pick<Engines, 'store' | 'policy' | 'sms'>,
  actor: Actor,
  input: DispatchInput,
): Promise<CheckedDispatch> {
  const { store } = engines;
  const policy = await readPolicy(engines, actor.accountId);
  const lifetimeSeconds = checkLifetime(faults, input, policy.lifetime) ?? 0;
  checkTitle(faults, input.title);
  checkSecondFactor(faults, engines, policy, input.secondFactor);
  checkPassphrase(faults, engines, actor, input.passphrase);
  const receivers = await checkReceivers(faults, engines, actor, policy, input);
  if (!input.notify && policy.receiverDomains)
    faults.add({ field: 'notify' }, 'recipient_not_allowed', linksNotAllowed);
  const mails = input.notify ? input.receivers.length : 0;
  const usage = await store.quotas.usage(actor.accountId);
  const excess = findExcess(
    policy,
    { dropsToday: usage.dropsToday + 1, mailsToday: usage.mailsToday + mails },
    { drops: 1, mails },
  );
  if (excess !== undefined) faults.add({}, 'daily_limit', excess);
  return { policy, receivers, lifetimeSeconds };
}

/** Prepares the input of the transaction that writes it. Fetches a key, which may be slow. */
export async function prepareDispatch(
  engines: Pick<Engines, 'dayKeys' | 'random' | 'passphrases'>,
  { message, title, externalId, metadata, secondFactor, notify, passphrase, sharedLink }: DispatchInput,
  { policy, receivers, lifetimeSeconds }: CheckedDispatch,
): Promise<{
  toWrite: Omit<DropToWrite, 'type' | 'fileCount' | 'choices'> & { readonly choices: SenderChoices };
  made: MadeDispatch;
}> {
  const key = await prepareLinkKey(engines, lifetimeSeconds);
  const passphraseHash = passphrase === undefined ? undefined : await hashPassphrase(engines, passphrase);
  // There is nobody to write to.
  const choices = { title, externalId, metadata, secondFactor, notify: notify && receivers.length > 0 };
  const lifetime = Math.ceil(lifetimeSeconds / policy.lifetime.unitSeconds);
  const tokens = receivers.map((_, position) => linkToken(key.linkKey, position));
  const about = { message, lifetime, lifetimeSeconds, receivers, choices, passphraseHash };
  return {
    toWrite: { ...key, ...about, ...(sharedLink && { sharedLink }) },
    made: {
      id: key.id,
      receivers,
      tokens,
      ...(sharedLink && {
        sharedLink: { position: firstSharedPosition, token: linkToken(key.linkKey, firstSharedPosition) },
      }),
    },
  };
}

/** It is the subject of mails, which is one line. */
function checkTitle(faults: Faults, title: string | null): void {
  if (title === null) return;
  const isShort = toVisibleName(title) !== '' && title.length <= limits.titleLength;
  if (!isShort || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(title)) {
    const detail = `Give a title of one line with 1 to ${limits.titleLength} characters, or leave it out.`;
    faults.add({ field: 'title' }, 'invalid_input', detail);
  }
}

/** A sender may ask for more than what applies to the account, and not for less. */
function checkSecondFactor(
  faults: Faults,
  { sms }: Pick<Engines, 'sms'>,
  policy: Pick<Policy, 'secondFactor'>,
  factor: SecondFactor | null,
): void {
  if (factor === null) return;
  if (isWeaker(factor, policy.secondFactor)) {
    const detail = `The account must ask receivers for a code. Choose "${policy.secondFactor}" or a stricter one, or leave it out.`;
    faults.add({ field: 'secondFactor' }, 'invalid_input', detail);
  }
  if (factor === 'sms' && !sms)
    faults.add(
      { field: 'secondFactor' },
      'invalid_input',
      'This server does not send SMS. Choose another second factor.',
    );
}

function checkPassphrase(
  faults: Faults,
  { policy }: Pick<Engines, 'policy'>,
  { email }: Actor,
  passphrase: string | undefined,
): void {
  if (passphrase === undefined) return;
  if (isGoodPassphrase(passphrase, { email, name: '', operatorName: policy.operatorName })) return;
  faults.add({ field: 'passphrase' }, 'invalid_input', weakPassphrase);
}

const weakPassphrase = `The passphrase is too easy to guess, or too long. Choose one of ${minPasswordLength} to ${maxPasswordLength} characters, without spaces and hyphens, that is not a common password and not mostly your own name or address.`;

async function checkReceivers(
  faults: Faults,
  engines: Pick<Engines, 'store' | 'sms'>,
  actor: Actor,
  policy: AccountPolicy,
  input: DispatchInput,
): Promise<Receiver[]> {
  const emails = input.receivers.map((receiver, index) =>
    checkReceiver(faults, { of: 'receivers', index }, receiver, policy),
  );
  const known = emails.filter((email) => email !== undefined);
  const contacts = new Map(
    (await engines.store.contacts.find(actor.accountId, known)).map((found) => [found.email, found]),
  );
  const seen = new Set<string>();
  const factor = chooseStronger(input.secondFactor, policy.secondFactor);
  return input.receivers.flatMap((asked, index) => {
    const [entry, email] = [{ of: 'receivers', index } as const, emails[index]];
    if (email === undefined) return [];
    if (seen.has(email)) {
      faults.add(
        { entry, field: 'email', isRepeated: true },
        'invalid_input',
        `${email} is given twice. Name each receiver once.`,
      );
      return [];
    }
    seen.add(email);
    const receiver = receiverFrom(asked, email, contacts.get(email));
    // Without a number, codes are sent by mail.
    if (!asked.codeByMail || policy.secondFactor === 'sms') checkPhone(faults, engines, entry, receiver, factor);
    return [receiver];
  });
}
