import { Command } from 'commander';
import { expect, test } from 'vitest';
import type { Quotas } from '../domain/accounts/quota-store.ts';
import { addQuotaOptions, describeQuotas, parseQuotas, type QuotaOptions, toJsonQuotas } from './quota-options.ts';

const parse = (...args: string[]) =>
  parseQuotas(addQuotaOptions(new Command()).parse(args, { from: 'user' }).opts<QuotaOptions>());

test.each([
  ['--max-stored', '50GB', { maxStoredBytes: 50e9 }],
  ['--max-file', '20GiB', { maxFileBytes: 20 * 1024 ** 3 }],
  ['--drops-per-day', '10', { dropsPerDay: 10 }],
  ['--mails-per-day', '100', { mailsPerDay: 100 }],
  ['--min-lifetime', '1', { minLifetime: 1 }],
  ['--max-lifetime', '30', { maxLifetime: 30 }],
  ['--lifetimes', '7,1', { lifetimes: [1, 7] }],
  ['--receiver-domains', 'Acme.com,acme.se', { receiverDomains: ['acme.com', 'acme.se'] }],
  ['--shared-links', 'named', { sharedLinks: 'named' }],
  ['--encrypted-files', 'accept', { acceptsEncrypted: true }],
])('%s sets a limit, and is taken back by default', (option, value, quotas) => {
  expect(parse(option, value)).toEqual(quotas);
  expect(parse(option, 'default')).toEqual(Object.fromEntries(Object.keys(quotas).map((name) => [name, null])));
});

test('a size is described in a unit that people read', () => {
  const names = ['maxStoredBytes', 'maxFileBytes', 'dropsPerDay', 'mailsPerDay', 'minLifetime', 'maxLifetime'];
  const lists = ['lifetimes', 'secondFactor', 'sharedLinks', 'receiverDomains', 'acceptsEncrypted'];
  const none = Object.fromEntries([...names, ...lists].map((name) => [name, null])) as unknown as Quotas;
  const describe = (maxStoredBytes: number) => describeQuotas(toJsonQuotas({ ...none, maxStoredBytes }));
  expect([999, 1_000, 1_250_000, 50e9, 20 * 1024 ** 3].map(describe)).toEqual([
    'max_stored: 999 bytes',
    'max_stored: 1 kB',
    'max_stored: 1.3 MB',
    'max_stored: 50 GB',
    'max_stored: 21.5 GB',
  ]);
});

test('what is not given stays as it is', () => {
  expect(parse()).toEqual({});
});
