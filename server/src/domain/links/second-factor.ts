import type { Channel, Engines, Link } from '../ports/index.ts';

export interface CodeTarget {
  readonly channel: Channel;
  readonly to: string;
}

/**
 * Where this link's codes are sent; undefined when none are required. The account's choice takes precedence over the
 * server's. Without a telephone number, or where no SMS can be sent, the code is sent by mail: asking for no code at
 * all would be weaker than what was decided.
 */
export function codeTarget(engines: Pick<Engines, 'policy' | 'sms'>, link: Link): CodeTarget | undefined {
  const factor = link.secondFactor ?? engines.policy.secondFactor;
  if (factor === 'off') return undefined;
  if (factor === 'sms' && engines.sms && link.number !== '') return { channel: 'sms', to: link.number };
  return { channel: 'mail', to: link.receiver };
}
