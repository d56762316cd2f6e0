import type { Channel, Engines, Link } from '../ports/index.ts';

export interface CodeTarget {
  readonly channel: Channel;
  readonly to: string;
}

/**
 * Where this link's codes go; nowhere when none are asked for. The account's choice wins over the server's. Who has no
 * number, or where no SMS can be sent, gets the code by mail: asking for less than was decided would be worse.
 */
export function codeTarget(engines: Pick<Engines, 'policy' | 'sms'>, link: Link): CodeTarget | undefined {
  const factor = link.secondFactor ?? engines.policy.secondFactor;
  if (factor === 'off') return undefined;
  if (factor === 'sms' && engines.sms && link.number !== '') return { channel: 'sms', to: link.number };
  return { channel: 'mail', to: link.receiver };
}
