import { randomBytes } from 'node:crypto';
import { adminJson } from './admin.ts';
import { Client, type ClientOptions } from './client.ts';

export interface Account {
  user: string;
  apiKey: string;
  number: string;
}

export interface CreatedAccount {
  account: { email: string; number: string; type: string; disabled: boolean };
  api_key: string;
}

/** An address nobody else in this run uses: what arrives there was sent by the test that made it. */
export function uniqueAddress(label = 'someone'): string {
  return `${label}-${randomBytes(6).toString('hex')}@example.org`;
}

export async function createAccount(
  label = 'machine',
  number = '46700000001',
  overrides: Record<string, string> = {},
): Promise<Account> {
  const args = ['accounts', 'create', '--email', uniqueAddress(label), '--number', number, '--json'];
  const created = await adminJson<CreatedAccount>(args, '', overrides);
  return { user: created.account.email, apiKey: created.api_key, number: created.account.number };
}

/** An account of the test's own, and the client that speaks for it. */
export async function freshClient(label = 'machine', options: ClientOptions = {}): Promise<Client> {
  return new Client(await createAccount(label), options);
}
