/**
 * Creates accounts and people for tests. To start `waybilld admin` for each of them would take longer than most of the
 * tests. Prints its URL. A request names the account or person and the URL of their database; the response is the API key
 * of the account, or the link of the person's invitation. Everything else is in the settings of waybilld.
 */
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { readConfig } from '../../server/src/config/config.ts';
import { createAccount } from '../../server/src/domain/accounts/change-account.ts';
import { commandAuthor } from '../../server/src/domain/audit/author.ts';
import { invitePerson } from '../../server/src/domain/people/invite-person.ts';
import { makePersonLinks } from '../../server/src/domain/signed-ids.ts';
import { jobDeadlines, openDatabase, openPool } from '../../server/src/engines/postgres/database.ts';
import { postgresStore } from '../../server/src/engines/postgres/store.ts';

export interface AccountRequest {
  readonly email: string;
  readonly phone: string;
  readonly databaseUrl: string;
}

export interface PersonRequest {
  readonly email: string;
  readonly name: string;
  /** The address under which the person's browser reaches the server. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
}

const pepper = readConfig().WAYBILL_KEY_PEPPER;
const administrator = commandAuthor({ user: 'demo' });
const random = { bytes: randomBytes, uuid: randomUUIDv7 };

const server = createServer((request, response) => {
  void json(request)
    .then((wanted) => create(wanted as AccountRequest | PersonRequest))
    .then(
      (made) => response.end(made),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

/** On a connection of its own, because a test may drop its database, or stop it, at any time. */
async function create(wanted: AccountRequest | PersonRequest): Promise<string> {
  const url = wanted.databaseUrl;
  const pool = openPool({ url, connections: 1, deadlines: jobDeadlines, onError: () => undefined });
  try {
    const store = postgresStore(openDatabase(pool));
    if ('phone' in wanted) {
      return (await createAccount({ store, random, pepper, administrator }, { ...wanted, type: 'api' })).apiKey;
    }
    const engines = { store, random, personLinks: makePersonLinks(wanted.publicUrl, pepper) };
    return (await invitePerson(engines, administrator, { ...wanted, mail: false })).link ?? '';
  } finally {
    await pool.end();
  }
}
