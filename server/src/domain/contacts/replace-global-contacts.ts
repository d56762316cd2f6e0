import { limits } from '@waybill/protocol';
import type { ByCommand } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { contactFromInput } from './contact-from-input.ts';
import type { ContactInput } from './contact-input.ts';

/** The administrator's list, which every account can see and none can change. */
export async function replaceGlobalContacts(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  input: readonly ContactInput[],
): Promise<number> {
  if (input.length > limits.contactsPerAccount) throw new ExchangeError('too_large');
  const contacts = input.map(contactFromInput);
  const seen = new Set<string>();
  for (const { email } of contacts) {
    if (seen.has(email)) throw new ExchangeError('contact_exists', `${email} appears twice in the list.`);
    seen.add(email);
  }
  await engines.store.transaction(async (tx) => {
    await tx.contacts.replaceGlobal(contacts);
    await record(engines, tx, {
      accountId: serverAccountId,
      author: engines.administrator,
      action: 'global_contacts.replaced',
      details: { count: contacts.length },
    });
  });
  return contacts.length;
}
