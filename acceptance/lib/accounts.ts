import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { AccountRequest, PersonRequest } from '../../tools/demo/account-maker.ts';
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
  const email = uniqueAddress(label);
  return { user: email, apiKey: await make({ email, phone: number, databaseUrl }), number };
}

/** Invites a person with an account of their own; returns the link that opens once. */
export async function invitePerson(name: string, publicUrl: string): Promise<{ user: string; link: string }> {
  const email = uniqueAddress('person');
  const databaseUrl = demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '';
  return { user: email, link: await make({ email, name, publicUrl, databaseUrl }) };
}

async function make(wanted: AccountRequest | PersonRequest): Promise<string> {
  const response = await fetch(inject('accountMaker'), { method: 'POST', body: JSON.stringify(wanted) });
  if (!response.ok) throw new Error(`nothing was made for ${wanted.email}: ${await response.text()}`);
  return response.text();
}

/** The test's own account, and a client for it. */
export async function freshClient(label = 'machine', options: ClientOptions = {}): Promise<Client> {
  return new Client(await createAccount(label), options);
}
