import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { AccountPolicy } from '../policy.ts';
import { isTestAddress, testDomain } from './test-address.ts';

type ReceiverRule = Pick<AccountPolicy, 'receiverDomains' | 'isTest'>;

export function requireAllowedReceivers(policy: ReceiverRule, emails: readonly string[]): void {
  const refused = emails.find((email) => !isAllowedReceiver(policy, email));
  if (refused === undefined) return;
  const isOutside = policy.isTest && !isTestAddress(refused);
  throw new ExchangeError('recipient_not_allowed', isOutside ? noTestAddress(refused) : notAllowed(refused));
}

/** A test account may send only to test addresses, of those domains to which its live account may send. */
export function isAllowedReceiver({ receiverDomains, isTest }: ReceiverRule, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (isTest && !isTestAddress(email)) return false;
  return !receiverDomains || receiverDomains.some((allowed) => domain === (isTest ? testDomain(allowed) : allowed));
}

function noTestAddress(email: string): string {
  return `${email} is no test address. A test account sends only to addresses whose domain begins with "test.", such as anna@test.example.org. Use such an address, or a live key.`;
}

function notAllowed(email: string): string {
  return `The account may not send to ${email}: its domain is not one of those allowed. Choose another address, or ask the administrator.`;
}

/** A list of domains can be long. */
const maxNamedDomains = 10;

/** Says of an address that is not allowed which domains are. */
export function describeAllowed({ receiverDomains, isTest }: ReceiverRule, email: string): string {
  if (isTest && !isTestAddress(email)) return noTestAddress(email);
  const domains = (receiverDomains ?? []).map((domain) => (isTest ? testDomain(domain) : domain));
  const rest = domains.length - maxNamedDomains;
  const named = [...domains.slice(0, maxNamedDomains), ...(rest > 0 ? [`${rest} more`] : [])];
  return `The account may not send to ${email}, but only to ${new Intl.ListFormat('en').format(named)}. Choose another address, or ask the administrator.`;
}

/** A link that the account gets itself can be passed on to any address. */
export const linksNotAllowed =
  'The account may send only to certain domains, so it does not get links itself. Leave out "notify": false, so that receivers get a mail, or ask the administrator.';

/**
 * Counts mails, so that neither an account nor a contact can flood a receiver with them. What is kept floods nobody, and must
 * not use up what live accounts may send to the same address.
 */
export async function requireWithinLimits(
  engines: Pick<Engines, 'messageLimit'>,
  { isTest }: Pick<AccountPolicy, 'isTest'>,
  sender: string,
  receivers: readonly string[],
): Promise<void> {
  const retryAfterSeconds = await engines.messageLimit.acquire(sender, isTest ? [] : receivers);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_messages', undefined, { retryAfterSeconds });
}
