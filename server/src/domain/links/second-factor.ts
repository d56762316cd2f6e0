import type { Channel, Engines, Link, SecondFactor } from '../ports/index.ts';

export interface CodeTarget {
  readonly channel: Channel;
  readonly to: string;
}

const strength: Readonly<Record<SecondFactor, number>> = { off: 0, mail: 1, sms: 2 };

export const isWeaker = (factor: SecondFactor, than: SecondFactor) => strength[factor] < strength[than];

/**
 * What a receiver has to pass: the stronger of the sender's choice for the drop and the rule that applies to the account
 * now, so that a rule that became stricter holds for what was sent before.
 */
export function effectiveSecondFactor(choice: SecondFactor | null, rule: SecondFactor): SecondFactor {
  return choice === null || isWeaker(choice, rule) ? rule : choice;
}

/**
 * Where this link's codes are sent; undefined when none are required. Without a telephone number, or where no SMS can be
 * sent, the code is sent by mail: asking for no code at all would be weaker than what was decided.
 */
export function codeTarget(engines: Pick<Engines, 'policy' | 'sms'>, link: Link): CodeTarget | undefined {
  const factor = effectiveSecondFactor(link.secondFactor, link.secondFactorRule ?? engines.policy.secondFactor);
  if (factor === 'off') return undefined;
  if (factor === 'sms' && engines.sms && link.number !== '') return { channel: 'sms', to: link.number };
  return { channel: 'mail', to: link.receiver };
}
