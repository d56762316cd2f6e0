import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Policy } from '../policy.ts';

export function requireAllowedReceivers(policy: Pick<Policy, 'receiverDomains'>, emails: readonly string[]): void {
  const refused = emails.find((email) => !isAllowedReceiver(policy, email));
  if (refused !== undefined) throw new ExchangeError('recipient_not_allowed', notAllowed(refused));
}

export function isAllowedReceiver({ receiverDomains }: Pick<Policy, 'receiverDomains'>, email: string): boolean {
  return !receiverDomains || receiverDomains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}

function notAllowed(email: string): string {
  return `The account may not send to ${email}: its domain is not one of those allowed. Choose another address, or ask the administrator.`;
}

/** A list of domains can be long. */
const maxNamedDomains = 10;

/** Says of an address which domains are allowed instead. */
export function notInDomains(email: string, domains: readonly string[]): string {
  const rest = domains.length - maxNamedDomains;
  const named = [...domains.slice(0, maxNamedDomains), ...(rest > 0 ? [`${rest} more`] : [])];
  return `The account may not send to ${email}, but only to ${new Intl.ListFormat('en').format(named)}. Choose another address, or ask the administrator.`;
}

/** A link that the account gets itself can be passed on to any address. */
export const linksNotAllowed =
  'The account may send only to certain domains, so it does not get links itself. Leave out "notify": false, so that receivers get a mail, or ask the administrator.';

/** Counts mails, so that neither an account nor a contact can flood a receiver with them. */
export async function requireWithinLimits(
  engines: Pick<Engines, 'messageLimit'>,
  sender: string,
  receivers: readonly string[],
): Promise<void> {
  const retryAfterSeconds = await engines.messageLimit.acquire(sender, receivers);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_messages', undefined, { retryAfterSeconds });
}
