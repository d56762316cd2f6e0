import type { Engines } from '../engines.ts';
import type { Channel } from '../policy.ts';
import { codeSeconds, mayIssueCode } from './issue-code.ts';
import type { LinkSession } from './link-store.ts';
import { maxTries } from './open-link.ts';
import { codeTarget } from './second-factor.ts';

export type CodeProblem = 'expired' | 'too_many_tries' | 'too_many_codes';

/** What someone who has to enter a code is told about it. */
export interface CodeState {
  readonly channel: Channel;
  /** The number or address, masked. */
  readonly target: string;
  readonly sentAt: Date | undefined;
  readonly validUntil: Date | undefined;
  /** Why the code can no longer be entered, or no other can be requested. */
  readonly problem: CodeProblem | undefined;
  readonly triesLeft: number;
}

export async function readCodeState(
  engines: Pick<Engines, 'store' | 'policy' | 'sms'>,
  session: LinkSession,
): Promise<CodeState> {
  const { link, code } = session;
  const { channel, to } = codeTarget(engines, link) ?? { channel: 'mail', to: link.receiver };
  return {
    channel,
    target: channel === 'sms' ? maskNumber(to) : maskAddress(to),
    sentAt: code && new Date(code.expiresAt.getTime() - codeSeconds * 1000),
    validUntil: code?.expiresAt,
    problem: await findCodeProblem(engines, session),
    triesLeft: code ? Math.max(0, maxTries - code.tries) : 0,
  };
}

async function findCodeProblem(
  engines: Pick<Engines, 'store' | 'policy' | 'sms'>,
  { link, code }: LinkSession,
): Promise<CodeProblem | undefined> {
  if (code && !code.expired && code.tries < maxTries) return undefined;
  if (!(await mayIssueCode(engines, link))) return 'too_many_codes';
  // A session without a code began when none was required, or when too many had been sent.
  return code && !code.expired ? 'too_many_tries' : 'expired';
}

/** Shows enough to know which phone or mailbox to look at, but not enough to learn the number or address. */
const maskNumber = (number: string) => `•••• ${number.slice(-3)}`;
const maskAddress = (address: string) => address.replace(/^(.).*(?=@)/, '$1•••');
