import { findAccountById } from '../../../domain/accounts/read-accounts.ts';
import { readReceivers, type UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import { addReceivers } from '../../../domain/drops/add-receiver.ts';
import type { SentDrop, SentId } from '../../../domain/drops/sent-drop-store.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { effectiveSecondFactor } from '../../../domain/links/second-factor.ts';
import { toReceiverInputs } from '../send/composer-input.ts';
import { readComposerValues } from '../send/composer-values.ts';
import type { MemberVisit } from '../shared/app-route.ts';
import { describePhones } from '../shared/phone-problem.ts';
import { chooseCallingCode } from '../shared/written-phone.ts';
import type { AddPhones, Task } from './sent-task.tsx';

/** Each of them is a few queries, and all are added in one transaction. */
const maxAtOnce = 50;

/** The form that adds people: empty, or as it was filled in. */
export async function readAddition(visit: MemberVisit, sent: SentDrop) {
  const { engines, actor, translator, form } = visit;
  const factor = effectiveSecondFactor(engines, sent);
  const values = readComposerValues(form, factor);
  const understood = await readReceivers(engines, actor, values.receivers);
  const account = await findAccountById(engines, actor.accountId);
  const state = {
    ...values,
    receivers: understood.receivers,
    canChooseMail: sent.secondFactorRule !== 'sms' && engines.policy.secondFactor !== 'sms',
    callingCode: chooseCallingCode(account?.phone ?? '', translator.language),
  };
  const problems = factor === 'sms' ? describePhones(translator, state) : new Map<string, string>();
  const phones: AddPhones = { ...state, problems };
  const task: Task = { what: 'add', phones, input: { receivers: values.receivers } };
  return { task, understood, phones, isBySms: factor === 'sms' };
}

/** Adds everyone whom the form names, or nobody. Returns how many they are. */
export async function addPeople(
  { engines, actor }: MemberVisit,
  id: SentId,
  { understood, phones, isBySms }: { understood: UnderstoodReceivers; phones: AddPhones; isBySms: boolean },
): Promise<number> {
  const { receivers, unreadable } = understood;
  if (unreadable.length > 0 || receivers.length === 0 || receivers.length > maxAtOnce) throw invalid('email');
  if (phones.problems.size > 0) throw invalid('phone');
  await addReceivers(engines, actor, id, toReceiverInputs(receivers, isBySms ? phones : undefined));
  return receivers.length;
}

function invalid(field: 'email' | 'phone'): ExchangeError {
  const detail = 'Correct the receivers.';
  return new ExchangeError('invalid_input', detail, { faults: [{ field, detail, code: 'invalid_input' }] });
}
