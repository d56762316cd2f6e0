import { limits } from '@waybill/protocol';
import { findAccountById } from '../../../domain/accounts/read-accounts.ts';
import type { KnownReceiver } from '../../../domain/contacts/contact-store.ts';
import type { UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import type { DispatchInput } from '../../../domain/drops/check-dispatch.ts';
import type { ReceiverInput } from '../../../domain/drops/receiver-input.ts';
import { suggestPassphrase } from '../../../domain/passphrases/passphrase.ts';
import type { Policy } from '../../../domain/policy.ts';
import type { MemberVisit } from '../shared/app-route.ts';
import type { ShownProblem } from '../shared/composer-problem.ts';
import { FormProblem, listSecondFactors, requireReceivers, requireShortMessage } from '../shared/form-problem.ts';
import { describePhones } from '../shared/phone-problem.ts';
import { chooseCallingCode, readWrittenPhone } from '../shared/written-phone.ts';
import type { ComposerPageProps } from './composer-page.tsx';
import type { ComposerChoices, ComposerValues } from './composer-values.ts';
import { listLifetimes, readLifetime } from './lifetime-choices.ts';
import { listPhoneRows } from './phone-rows.tsx';
import { toSharedLink } from './shared-link-values.ts';

/** Reads what an account may choose in a form that sends or asks. */
export async function readChoices(visit: MemberVisit, policy: Policy): Promise<ComposerChoices> {
  const { engines, actor, person, translator, base } = visit;
  const account = await findAccountById(engines, actor.accountId);
  const timeZone = person.timeZone || undefined;
  const { defaultDays, ...lifetimes } = listLifetimes(policy.lifetime, new Date(), translator, timeZone);
  // A choice that the account is no longer allowed is none.
  const chosen = lifetimes.presets.find(({ days }) => days === account?.defaultDays);
  return {
    receiversHref: `${base}receivers`,
    maxMessageLength: limits.messageLength,
    lifetimes,
    defaultDays: chosen ? String(chosen.days) : defaultDays,
    secondFactors: listSecondFactors(engines, policy),
    canCopyLinks: !policy.receiverDomains,
    suggestedPassphrase: suggestPassphrase(engines),
    // A link for anybody would go around both rules.
    sharedLinks:
      policy.sharedLinks === 'anybody' && (policy.receiverDomains || policy.secondFactor !== 'off')
        ? 'named'
        : policy.sharedLinks,
    callingCode: chooseCallingCode(account?.phone ?? '', translator.language),
  };
}

type Shared = Omit<ComposerPageProps, 'requestId' | 'textsJson' | 'values' | 'problem'>;

/** Everything that both forms show besides what was typed. */
export function toComposerProps(
  { csrf, membership, options, engines }: MemberVisit,
  choices: ComposerChoices,
  values: Pick<ComposerValues, 'secondFactor'>,
  understood: UnderstoodReceivers | undefined,
): Shared {
  const { name, color, supportAddress } = options.operator;
  return {
    ...choices,
    csrf,
    sender: { name: membership.accountName || membership.account, address: membership.account },
    operator: { name, color, supportAddress },
    origin: engines.policy.publicUrl,
    phoneReceivers: values.secondFactor === 'sms' ? (understood?.receivers ?? []) : [],
  };
}

/** The input of the domain that both forms have in common. Throws the first fault. */
export function toDispatchInput(
  { person, translator }: Pick<MemberVisit, 'person' | 'translator'>,
  policy: Policy,
  choices: ComposerChoices,
  values: ComposerValues,
  understood: UnderstoodReceivers,
): DispatchInput {
  const sharedLink = toSharedLink(values.shared);
  const receivers = sharedLink?.kind === 'anybody' ? [] : requireReceivers(understood);
  if (values.title.length > limits.titleLength) throw new FormProblem('title', { count: limits.titleLength });
  requireShortMessage(values.message);
  const lifetime = readLifetime(values, policy.lifetime, new Date(), person.timeZone || undefined);
  if (!lifetime) throw new FormProblem('until');
  const canChooseMail = choices.secondFactors.includes('mail');
  const byMail = canChooseMail ? listByMail(values, receivers) : new Set<string>();
  const isSms = values.secondFactor === 'sms';
  if (isSms) {
    const people = describePhones(translator, { ...values, ...choices, receivers, byMail, canChooseMail });
    if (people.size > 0) throw new FormProblem('phone', { count: people.size, people });
  }
  return {
    ...lifetime,
    title: values.title || null,
    message: values.message,
    secondFactor: values.secondFactor,
    ...(values.passphrase.trim() !== '' && { passphrase: values.passphrase }),
    notify: values.notify && sharedLink === undefined,
    sharedLink,
    externalId: null,
    metadata: null,
    receivers: toReceiverInputs(
      receivers,
      isSms ? { phones: values.phones, byMail, callingCode: choices.callingCode } : undefined,
    ),
  };
}

/** The receivers as the domain takes them, with their numbers if they get a code by SMS. */
export function toReceiverInputs(
  receivers: readonly KnownReceiver[],
  codes:
    | {
        readonly phones: ReadonlyMap<string, string>;
        readonly byMail: ReadonlySet<string>;
        readonly callingCode: string | undefined;
      }
    | undefined,
): ReceiverInput[] {
  return receivers.map((receiver) => ({
    email: receiver.email,
    ...(receiver.name === '' ? {} : { name: receiver.name }),
    ...(codes ? readCode(receiver, codes.phones.get(receiver.email), codes.byMail, codes.callingCode) : {}),
  }));
}

function listByMail(
  { byMail, isRestByMail }: ComposerValues,
  receivers: readonly KnownReceiver[],
): ReadonlySet<string> {
  if (!isRestByMail) return byMail;
  const shown = new Set(listPhoneRows(receivers));
  const rest = receivers.filter((receiver) => !receiver.hasPhone && !shown.has(receiver));
  return new Set([...byMail, ...rest.map(({ email }) => email)]);
}

function readCode(
  { email, hasPhone }: KnownReceiver,
  phone: string | undefined,
  byMail: ReadonlySet<string>,
  callingCode: string | undefined,
): { phone?: string; codeByMail?: true } {
  if (byMail.has(email)) return { codeByMail: true };
  const read = phone === undefined || hasPhone ? undefined : readWrittenPhone(phone, callingCode);
  return read && 'number' in read ? { phone: read.number } : {};
}

/** The problem as the form's script reads it. */
export function toProblemJson({ field, text, people }: ShownProblem) {
  return { message: text, field: field ?? null, people: people ? Object.fromEntries(people) : {} };
}
