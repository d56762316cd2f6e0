import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { readConfig } from '../../server/src/config/config.ts';
import { createAccount } from '../../server/src/domain/accounts/change-account.ts';
import { commandAuthor } from '../../server/src/domain/audit/author.ts';
import { invitePerson } from '../../server/src/domain/people/invite-person.ts';
import { makePersonLinks } from '../../server/src/domain/signed-ids.ts';
import { jobDeadlines, openDatabase, openPool } from '../../server/src/engines/postgres/database.ts';
import { postgresStore } from '../../server/src/engines/postgres/store.ts';

export interface DemoPerson {
  readonly email: string;
  readonly name: string;
  /** The shared account, to which the person belongs besides their own. */
  readonly account: string;
  readonly role: 'owner' | 'member' | 'reader';
  /** Opens once: there, the person chooses how to sign in from then on. */
  readonly sign_in_url: string;
}

const account = 'orders@people.test';
const people = [
  { email: 'maya@people.test', name: 'Maya Lindqvist', role: 'owner' },
  { email: 'bo@people.test', name: 'Bo Ek', role: 'member' },
  { email: 'ada@people.test', name: 'Ada Moreau', role: 'reader' },
] as const;

/**
 * Creates a shared account and a person for each of its roles. Browsers reach the demo by a name in their links: a
 * passkey belongs to a name, not to an address. Without commands of waybilld, which would take seconds to start.
 */
export async function createPeople(environment: Record<string, string>, publicUrl: string): Promise<DemoPerson[]> {
  const config = readConfig(environment);
  const url = config.WAYBILL_DATABASE_URL;
  const pool = openPool({ url, connections: 1, deadlines: jobDeadlines, onError: () => undefined });
  try {
    const engines = {
      store: postgresStore(openDatabase(pool)),
      random: { bytes: randomBytes, uuid: randomUUIDv7 },
      pepper: config.WAYBILL_KEY_PEPPER,
      administrator: commandAuthor({ user: 'demo' }),
      personLinks: makePersonLinks(publicUrl, config.WAYBILL_KEY_PEPPER),
    };
    const { id: accountId } = (await createAccount(engines, { email: account, phone: '46700000003', type: 'user' }))
      .account;
    await engines.store.accounts.setChoices(accountId, { displayName: 'Orders' });
    const invited: DemoPerson[] = [];
    for (const { email, name, role } of people) {
      const membership = { accountId, role };
      const invitation = { email, name, membership, isAdministrator: role === 'owner', mail: false };
      const { link = '' } = await invitePerson(engines, engines.administrator, invitation);
      invited.push({ email, name, account, role, sign_in_url: link });
    }
    return invited;
  } finally {
    await pool.end();
  }
}
