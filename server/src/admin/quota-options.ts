import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Quotas } from '../domain/accounts/quota-store.ts';
import type { SharedLinks } from '../domain/policy.ts';

const units: Readonly<Record<string, number>> = {
  '': 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};
const maxListed = { lifetimes: 100, domains: 1000 };

/** `default` stands for what applies without the option. It stays a word here, because commander makes `''` of a null. */
const orDefault =
  <Value>(parse: (text: string) => Value) =>
  (text: string): Value | 'default' =>
    text === 'default' ? text : parse(text);

/** These have options of their own. */
type Limits = Omit<Quotas, 'secondFactor' | 'sharedLinks' | 'acceptsEncrypted'>;
type OptionName<Name> = Name extends 'maxStoredBytes' ? 'maxStored' : Name extends 'maxFileBytes' ? 'maxFile' : Name;
export type QuotaOptions = {
  readonly [Name in keyof Limits as OptionName<Name>]?: NonNullable<Limits[Name]> | 'default';
} & { readonly encryptedFiles?: 'accept' | 'default'; readonly sharedLinks?: SharedLinks | 'default' };

/** The limits that accounts and groups have in common. */
export function addQuotaOptions(command: Command): Command {
  return command
    .option('--max-stored <size>', 'how much it may store, such as 50GB or 20GiB', orDefault(size))
    .option('--max-file <size>', 'the largest file, up to the server’s limit', orDefault(size))
    .option('--drops-per-day <number>', 'how many drops and requests it may make a day (UTC)', orDefault(count))
    .option('--mails-per-day <number>', 'how many receivers it may write to a day (UTC)', orDefault(count))
    .option('--min-lifetime <number>', 'the shortest lifetime, in the server’s unit', orDefault(count))
    .option('--max-lifetime <number>', 'the longest lifetime, in the server’s unit', orDefault(count))
    .option('--lifetimes <list>', 'the only lifetimes, such as 1,7,30; instead of a range', orDefault(counts))
    .addOption(
      new Option(
        '--receiver-domains <list>',
        'the only domains that it may send to, such as acme.com,acme.se',
      ).argParser(orDefault(domains)),
    )
    .addOption(
      new Option(
        '--shared-links <kind>',
        'the links that it may share: none, one for all receivers, or also one for anybody; the strictest rule applies',
      ).choices(['never', 'named', 'anybody', 'default']),
    )
    .addOption(
      new Option('--encrypted-files <choice>', 'accept: encrypted files, although a virus scan is required').choices([
        'accept',
        'default',
      ]),
    )
    .addHelpText(
      'after',
      '\nWith `default` as its value, an option is taken back: the group’s or the server’s applies.',
    );
}

export function parseQuotas(options: QuotaOptions): Partial<Quotas> {
  const { maxStored, maxFile, dropsPerDay, mailsPerDay, minLifetime, maxLifetime, lifetimes, receiverDomains } =
    options;
  const { encryptedFiles, sharedLinks } = options;
  const given = {
    maxStoredBytes: maxStored,
    maxFileBytes: maxFile,
    dropsPerDay,
    mailsPerDay,
    minLifetime,
    maxLifetime,
    lifetimes,
    receiverDomains,
    sharedLinks,
    acceptsEncrypted: encryptedFiles === 'accept' ? true : encryptedFiles,
  };
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, value === 'default' ? null : value]));
}

/** As JSON shows them. */
export function toJsonQuotas(quotas: Quotas) {
  return {
    max_stored_bytes: quotas.maxStoredBytes,
    max_file_bytes: quotas.maxFileBytes,
    drops_per_day: quotas.dropsPerDay,
    mails_per_day: quotas.mailsPerDay,
    min_lifetime: quotas.minLifetime,
    max_lifetime: quotas.maxLifetime,
    lifetimes: quotas.lifetimes,
    second_factor: quotas.secondFactor,
    shared_links: quotas.sharedLinks,
    receiver_domains: quotas.receiverDomains,
    accepts_encrypted: quotas.acceptsEncrypted,
  };
}

/** One line: only what is set. */
export function describeQuotas(quotas: ReturnType<typeof toJsonQuotas>): string {
  const set = Object.entries(quotas).filter(([, value]) => value !== null);
  return set.length === 0 ? 'no limits of its own' : set.map(describeQuota).join('  ');
}

function describeQuota([name, value]: [string, unknown]): string {
  return typeof value === 'number' && name.endsWith('_bytes') ? describeSize(name, value) : `${name}: ${String(value)}`;
}

/** Like `stored: 1.2 GB`; JSON has the exact number. */
export function describeSize(name: string, bytes: number): string {
  return `${name.replace(/_bytes$/, '')}: ${formatSize(bytes)}`;
}

function formatSize(bytes: number): string {
  const names = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), names.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : Number(value.toFixed(1))} ${names[power]}`;
}

function size(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,16})\s?([A-Za-z]{0,3})$/.exec(text) ?? [];
  const factor = units[unit];
  const bytes = factor === undefined ? Number.NaN : Number(number) * factor;
  if (!Number.isSafeInteger(bytes) || bytes < 1) {
    throw new InvalidArgumentError(`Use a size such as 500MB, 50GB or 20GiB, or default.`);
  }
  return bytes;
}

function count(text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (number < 1) throw new InvalidArgumentError('Use a whole number from 1 to 999999999, or default.');
  return number;
}

function counts(text: string): number[] {
  const numbers = [...new Set(text.split(',').map((one) => count(one.trim())))];
  if (numbers.length > maxListed.lifetimes) throw new InvalidArgumentError('Use up to 100 numbers.');
  return numbers.toSorted((one, other) => one - other);
}

function domains(text: string): string[] {
  const names = [
    ...new Set(
      text
        .toLowerCase()
        .split(',')
        .map((one) => one.trim()),
    ),
  ];
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  const isDomain = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})+$`);
  if (names.length > maxListed.domains || !names.every((name) => isDomain.test(name))) {
    throw new InvalidArgumentError('Use up to 1000 domains separated by commas, such as acme.com,acme.se, or default.');
  }
  return names;
}
