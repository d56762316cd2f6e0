import { describeAllowed, isAllowedReceiver } from '../accounts/require-allowed-receivers.ts';
import { checkDetails, type PersonDetails } from '../contacts/contact-input.ts';
import type { Contact, Receiver } from '../contacts/contact-store.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import type { Faults, InputEntry } from '../exchange-error.ts';
import type { AccountPolicy, SecondFactor } from '../policy.ts';
import { toVisibleName } from '../safe-name.ts';

/** A receiver as the caller names them. */
export interface ReceiverInput extends PersonDetails {
  readonly email: string;
  /** The code comes by mail, although those of others come by SMS. Only where no rule asks for SMS. */
  readonly codeByMail?: true;
}

/** The address in the form in which it is stored; undefined if the receiver is at fault, which is recorded. */
export function checkReceiver(
  faults: Faults,
  entry: InputEntry | undefined,
  input: ReceiverInput,
  policy: Pick<AccountPolicy, 'receiverDomains' | 'isTest'>,
): string | undefined {
  checkDetails(faults, entry, input);
  const email = faults.check({ entry, field: 'email' }, () => emailAddress(input.email));
  if (email === undefined || isAllowedReceiver(policy, email)) return email;
  faults.add({ entry, field: 'email' }, 'recipient_not_allowed', describeAllowed(policy, email));
  return undefined;
}

/** A code by SMS needs a phone number, where the server sends any. */
export function checkPhone(
  faults: Faults,
  { sms }: Pick<Engines, 'sms'>,
  entry: InputEntry | undefined,
  receiver: Pick<Receiver, 'email' | 'phone'>,
  factor: SecondFactor,
): void {
  if (factor !== 'sms' || !sms || receiver.phone !== '') return;
  faults.add(
    { entry, field: 'phone' },
    'invalid_input',
    `${receiver.email} has no phone number for the code by SMS. Add "phone", or choose another second factor.`,
  );
}

/** Takes the properties that the caller leaves out from the contact, if there is one. */
export function receiverFrom(input: ReceiverInput, email: string, contact: Contact | undefined): Receiver {
  return {
    email,
    contactName: contact?.name ?? '',
    phone: input.codeByMail ? '' : (input.phone ?? contact?.phone ?? ''),
    language: input.language ?? contact?.language ?? '',
    groups: contact?.groups ?? [],
    ...(input.name === undefined ? {} : { name: toVisibleName(input.name) }),
  };
}
