import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Channel, SecondFactor } from '../policy.ts';
import type { Link, LinkSession } from './link-store.ts';

export interface CodeTarget {
  readonly channel: Channel;
  readonly to: string;
}

const strength: Readonly<Record<SecondFactor, number>> = { off: 0, mail: 1, sms: 2 };

export const isWeaker = (factor: SecondFactor, than: SecondFactor) => strength[factor] < strength[than];

/** A choice may be missing; a rule never is. */
export function chooseStronger(choice: SecondFactor | null, rule: SecondFactor): SecondFactor {
  return choice === null || isWeaker(choice, rule) ? rule : choice;
}

/**
 * The factor that a receiver has to pass: the stronger of the sender's choice for the drop and the rule that applies to
 * the account now, so that a rule that became stricter also holds for earlier drops.
 */
export function effectiveSecondFactor(
  { policy }: Pick<Engines, 'policy'>,
  { secondFactor, secondFactorRule }: SecondFactorChoices,
): SecondFactor {
  return chooseStronger(secondFactor, secondFactorRule ?? policy.secondFactor);
}

/**
 * How codes are sent to a receiver with this telephone number; undefined when none are required. Without a number, or where
 * no SMS can be sent, they are sent by mail: asking for no code at all would be weaker than what was decided.
 */
export function chooseCodeChannel(
  { sms }: Pick<Engines, 'sms'>,
  factor: SecondFactor,
  phone: string,
): Channel | undefined {
  if (factor === 'off') return undefined;
  return factor === 'sms' && sms && phone !== '' ? 'sms' : 'mail';
}

/** Where this link's codes are sent; undefined when none are required. */
export function codeTarget(engines: Pick<Engines, 'policy' | 'sms'>, link: Link): CodeTarget | undefined {
  // The mail with the link has proved the address, and there is nothing else to prove about a visitor.
  if (link.isUnsolicited) return undefined;
  // A shared link is nobody's: one for all receivers leads to that of one of them, and one for anybody has no code.
  if (link.kind === 'named' || link.kind === 'anybody') return undefined;
  const channel = chooseCodeChannel(engines, effectiveSecondFactor(engines, link), link.phone);
  return channel && { channel, to: channel === 'sms' ? link.phone : link.receiver };
}

/** The next thing that this browser has to enter; undefined: nothing. A code by mail is not enough where one by SMS is asked for. */
export function findPendingStep(
  engines: Pick<Engines, 'policy' | 'sms'>,
  { link, passed, hasEnteredPassphrase }: LinkSession,
): 'passphrase' | 'code' | undefined {
  // Before the code: a guesser must not have one sent to the receiver.
  if (link.hasPassphrase && !hasEnteredPassphrase) return 'passphrase';
  // It reaches nothing but the page that asks which of the receivers somebody is.
  if (link.kind === 'named') return 'code';
  const target = codeTarget(engines, link);
  return target === undefined || (passed !== null && !isWeaker(passed, target.channel)) ? undefined : 'code';
}

/** Requires that this browser or program has entered all that the link asks for. */
export function requirePassed(engines: Pick<Engines, 'policy' | 'sms'>, session: LinkSession): void {
  const step = findPendingStep(engines, session);
  if (step !== undefined) throw new ExchangeError(`${step}_required`);
}

/** From which follows what the receivers of a drop have to pass. */
export interface SecondFactorChoices {
  /** The sender's choice for this drop; null: the rule applies. */
  readonly secondFactor: SecondFactor | null;
  /** The rule of the account or its group, as it is now; null: the server's setting applies. */
  readonly secondFactorRule: SecondFactor | null;
}
