/**
 * Creates accounts for tests. To start `waybilld admin` for each of them would take longer than most of the tests.
 * Prints its URL; a request has the address and the phone number of the account and the URL of its database; the
 * response is the API key. Everything else is in the settings of waybilld.
 */
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { readConfig } from '../../server/src/config/config.ts';
import { createAccount } from '../../server/src/domain/accounts/create-account.ts';
import { commandAuthor } from '../../server/src/domain/audit/author.ts';
import { jobDeadlines, openDatabase, openPool } from '../../server/src/engines/postgres/database.ts';
import { postgresStore } from '../../server/src/engines/postgres/store.ts';

export interface AccountRequest {
  readonly email: string;
  readonly phone: string;
  readonly databaseUrl: string;
}

const pepper = readConfig().WAYBILL_KEY_PEPPER;
const administrator = commandAuthor({ user: 'demo' });
const random = { bytes: randomBytes, uuid: randomUUIDv7 };

const server = createServer((request, response) => {
  void json(request)
    .then((wanted) => create(wanted as AccountRequest))
    .then(
      (apiKey) => response.end(apiKey),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

/** On a connection of its own, because a test may drop its database, or stop it, at any time. */
async function create({ email, phone, databaseUrl }: AccountRequest): Promise<string> {
  const pool = openPool({ url: databaseUrl, connections: 1, deadlines: jobDeadlines, onError: () => undefined });
  try {
    const store = postgresStore(openDatabase(pool));
    return (await createAccount({ store, random, pepper, administrator }, { email, phone, type: 'api' })).apiKey;
  } finally {
    await pool.end();
  }
}
