import { domainToASCII } from 'node:url';
import type { ClaimPath, ProviderMembership, ProviderRules } from '../domain/ports/identity-provider.ts';
import { isProtectedUrl } from '../domain/protected-url.ts';
import { readSecretFile } from './environment.ts';
import type { SettingType } from './setting.ts';

/**
 * Reads one value of a settings file; `place` is where it is, for people. Throws an error whose message names the place
 * and never repeats the value, which may be a secret in the wrong place. A library for schemas would take longer to load
 * than all other settings to read, at every start of every command.
 */
type Read<Value> = (value: unknown, place: string) => Value;

const usual = /^\P{Cc}{1,255}$/u;

/** A text that matches the pattern. The description continues "must be". */
function readText<Text extends string = string>(description: string, pattern = usual): Read<Text> {
  return (value, place) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`${place} must be ${description}`);
    return value as Text;
  };
}

const readFlag: Read<boolean> = (value, place) => {
  if (typeof value !== 'boolean') throw new Error(`${place} must be true or false`);
  return value;
};

/** From one to `max` values. */
function readList<Item>(read: Read<Item>, description: string, max = 1_000): Read<readonly Item[]> {
  return (value, place) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > max) {
      throw new Error(`${place} must be ${description}`);
    }
    return value.map((item) => read(item, place));
  };
}

function readOptional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value, place) => (value === undefined ? undefined : read(value, place));
}

type Fields = Readonly<Record<string, Read<unknown>>>;

/** An object with these fields and no others: a field that is misspelt would otherwise have no effect. */
function readObject<const Given extends Fields>(
  fields: Given,
): Read<{ readonly [Name in keyof Given]: ReturnType<Given[Name]> }> {
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Error(`${place} must be an object with fields such as "${Object.keys(fields)[0]}"`);
    }
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(', ');
      throw new Error(`${names} in ${place} is not a field that exists`);
    }
    const given = value as Readonly<Record<string, unknown>>;
    const entries = Object.entries(fields).map(([name, read]) => [name, read(given[name], `"${name}" of ${place}`)]);
    return Object.fromEntries(entries) as { [Name in keyof Given]: ReturnType<Given[Name]> };
  };
}

/** One provider, with everything that is needed to speak to it. */
export interface ProviderSettings extends ProviderRules {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly clientAuthentication: 'basic' | 'post' | undefined;
  readonly scopes: readonly string[];
  readonly groupsClaim: ClaimPath | undefined;
  /** Whether signing out here also leads to the sign-out of the provider. */
  readonly endSession: boolean;
}

const maxProviders = 20;
const aPath = 'the name of a claim, or a list of names that lead to a nested one';
const readClaimPath: Read<ClaimPath> = (value, place) =>
  readList(readText(aPath), aPath, 8)(typeof value === 'string' ? [value] : value, place);
const readTexts = (description: string, pattern?: RegExp) => readList(readText(description, pattern), description);
const long = /^\P{Cc}{1,4096}$/u;

const readId = readText(
  'up to 32 letters a to z, digits and hyphens, such as "entra"',
  /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
);
const readCreation = readObject({
  domains: readOptional(readTexts('a list of domains, such as ["example.org"]')),
  claim: readOptional(readClaimPath),
  values: readOptional(readTexts('a list of values, one of which the claim must have')),
});
const readMembership = readObject({
  group: readText('the name or id of a group, as the provider sends it'),
  account: readText('the address of an account', /^[^\s@]{1,64}@[^\s@]{1,190}$/),
  role: readText<ProviderMembership['role']>('owner, member or reader', /^(?:owner|member|reader)$/),
});
const readProvider = readObject({
  id: readId,
  name: readText('a name of up to 60 characters, which people see', /^\P{Cc}{1,60}$/u),
  issuer: readText('the issuer’s address, such as "https://login.example.org/realms/staff"', /^\S{1,1000}$/),
  client_id: readText('the client’s id at the provider'),
  client_secret: readOptional(readText('the client’s secret', long)),
  client_secret_file: readOptional(readText('the path of a file that contains the client’s secret', long)),
  client_authentication: readOptional(readText<'basic' | 'post'>('basic or post', /^(?:basic|post)$/)),
  scopes: readOptional(readTexts('a list of scopes, such as ["openid", "email"]', /^[!#-[\]-~]{1,255}$/)),
  require_email_verified: readOptional(readFlag),
  create_people: readOptional(readCreation),
  groups_claim: readOptional(readClaimPath),
  memberships: readOptional(readList(readMembership, 'a list of groups with their accounts and roles', 10_000)),
  end_session: readOptional(readFlag),
});

export const providersFile: SettingType<readonly ProviderSettings[]> = {
  name: 'path',
  parse: (path) => (path === '' ? [] : parseProviders(readSecretFile(path) ?? '')),
};

/** Messages continue the name of the setting. */
function parseProviders(json: string): readonly ProviderSettings[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('names a file that is not JSON.');
  }
  const given = readProviders(value);
  const providers = given.map(toProvider);
  const repeated = (values: readonly string[]) => values.find((item, index) => values.indexOf(item) !== index);
  const id = repeated(providers.map((provider) => provider.id));
  if (id !== undefined) throw new Error(`names a file with two providers with the id ${id}.`);
  // Issuer and subject identify a person: two clients of one issuer would be two doors with different rules.
  const issuer = repeated(providers.map((provider) => provider.issuer));
  if (issuer !== undefined) throw new Error(`names a file with two providers with the issuer ${issuer}.`);
  return providers;
}

function readProviders(value: unknown): readonly ReturnType<typeof readProvider>[] {
  if (!Array.isArray(value) || value.length > maxProviders) {
    throw new Error(`names a file that must be a list of up to ${maxProviders} providers.`);
  }
  try {
    return value.map((provider, index) => readProvider(provider, describePlace(provider, index)));
  } catch (error) {
    throw new Error(`names a file with a mistake: ${(error as Error).message}.`, { cause: error });
  }
}

/** By its id, or by its position if it has none. */
function describePlace(provider: unknown, index: number): string {
  try {
    return `the provider ${readId((provider as { id?: unknown } | null)?.id, '')}`;
  } catch {
    return `provider ${index + 1}`;
  }
}

function toProvider(given: ReturnType<typeof readProvider>): ProviderSettings {
  const complain = (problem: string) =>
    new Error(`names a file with a mistake in the provider ${given.id}: ${problem}.`);
  const { scopes = ['openid', 'email', 'profile'], create_people: creation } = given;
  const issuer = URL.parse(given.issuer);
  if (!issuer || issuer.search || issuer.hash || issuer.username || issuer.password || !isProtectedUrl(issuer)) {
    throw complain('"issuer" must be an address that begins with https://, without a query or a user');
  }
  if (given.issuer.includes('/.well-known/')) {
    throw complain('"issuer" must be the part of the address before /.well-known/');
  }
  if ((given.client_secret === undefined) === (given.client_secret_file === undefined)) {
    throw complain('it must have either "client_secret" or "client_secret_file"');
  }
  if (!scopes.includes('openid')) throw complain('"scopes" must include "openid"');
  if (creation && (creation.claim === undefined) !== (creation.values === undefined)) {
    throw complain('"claim" and "values" of "create_people" are given together, or not at all');
  }
  if (creation && !creation.domains && !creation.claim) {
    throw complain('"create_people" must have "domains", or "claim" and "values"');
  }
  if (given.memberships?.length && given.groups_claim === undefined) {
    throw complain('"memberships" need "groups_claim"');
  }
  return {
    id: given.id,
    name: given.name,
    issuer: given.issuer,
    clientId: given.client_id,
    clientSecret: given.client_secret ?? readClientSecret(given.client_secret_file, complain),
    clientAuthentication: given.client_authentication,
    scopes,
    requireEmailVerified: given.require_email_verified ?? true,
    createPeople: creation && {
      domains: creation.domains?.map((domain) => toDomain(domain, complain)),
      claim: creation.claim && creation.values && { path: creation.claim, values: creation.values },
    },
    groupsClaim: given.groups_claim,
    memberships: (given.memberships ?? []).map((membership) => ({
      ...membership,
      // As addresses of accounts are stored.
      account: membership.account.toLowerCase(),
    })),
    endSession: given.end_session ?? false,
  };
}

type Complain = (problem: string) => Error;

function readClientSecret(path: string | undefined, complain: Complain): string {
  let secret: string | undefined;
  try {
    secret = readSecretFile(path);
  } catch (error) {
    throw complain(`the client secret ${(error as Error).message.replace(/\.$/, '')}`);
  }
  if (!secret) throw complain('the file of the client secret is empty');
  return secret;
}

function toDomain(text: string, complain: Complain): string {
  const domain = domainToASCII(text.toLowerCase());
  if (!/^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/.test(domain)) {
    throw complain('a domain in "create_people" must be one such as example.org, without @ or *');
  }
  return domain;
}
