import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { AccountRequest } from '../../tools/demo/account-maker.ts';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { Client, type ClientOptions } from './http/client.ts';

export interface Account {
  user: string;
  apiKey: string;
  number: string;
}

/** An address that nothing else in this run uses: what arrives there was sent by the test that created it. */
export function uniqueAddress(label = 'someone'): string {
  return `${label}-${randomBytes(6).toString('hex')}@example.org`;
}

export async function createAccount(
  label = 'machine',
  number = '46700000001',
  databaseUrl = demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '',
): Promise<Account> {
  const wanted: AccountRequest = { email: uniqueAddress(label), phone: number, databaseUrl };
  const response = await fetch(inject('accountMaker'), { method: 'POST', body: JSON.stringify(wanted) });
  if (!response.ok) throw new Error(`no account for ${wanted.email}: ${await response.text()}`);
  return { user: wanted.email, apiKey: await response.text(), number };
}

/** The test's own account, and a client for it. */
export async function freshClient(label = 'machine', options: ClientOptions = {}): Promise<Client> {
  return new Client(await createAccount(label), options);
}
