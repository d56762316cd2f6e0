import { domainToASCII } from 'node:url';
import { type Static, Type } from 'typebox';
import { Check, Errors } from 'typebox/value';
import { emailAddress } from '../domain/contacts/email-address.ts';
import type { ClaimPath, ProviderRules } from '../domain/ports/identity-provider.ts';
import { isProtectedUrl } from '../domain/protected-url.ts';
import { readSecretFile } from './environment.ts';
import type { SettingType } from './setting.ts';

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
const boundedText = (description: string, maxLength = 255) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$', description });
const textList = (description: string, minItems = 1) =>
  Type.Array(boundedText(description), { minItems, maxItems: 1_000, description });
const claimPath = (description: string) =>
  Type.Union([boundedText(description), Type.Array(boundedText(description), { minItems: 1, maxItems: 8 })], {
    description,
  });
const strict = { additionalProperties: false } as const;

/** A description continues "must be". */
const Provider = Type.Object(
  {
    id: Type.String({
      pattern: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
      description: 'up to 32 letters a to z, digits and hyphens, such as "entra"',
    }),
    name: boundedText('a name of up to 60 characters, which people see', 60),
    issuer: boundedText('the issuer’s address, such as "https://login.example.org/realms/staff"', 1_000),
    client_id: boundedText('the client’s id at the provider'),
    client_secret: Type.Optional(boundedText('the client’s secret', 4_096)),
    client_secret_file: Type.Optional(boundedText('the path of a file that contains the client’s secret', 4_096)),
    client_authentication: Type.Optional(Type.Enum(['basic', 'post'], { description: 'basic or post' })),
    scopes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[!#-\\[\\]-~]{1,255}$' }), {
        minItems: 1,
        maxItems: 50,
        description: 'a list of scopes, such as ["openid", "email", "profile"]',
      }),
    ),
    require_email_verified: Type.Optional(Type.Boolean({ description: 'true or false' })),
    create_people: Type.Optional(
      Type.Object(
        {
          domains: Type.Optional(textList('a list of domains, such as ["example.org"]')),
          claim: Type.Optional(claimPath('the name of a claim, or a list of names that lead to a nested one')),
          values: Type.Optional(textList('a list of values, one of which the claim must have')),
        },
        { ...strict, description: 'an object with "domains", or with "claim" and "values", or with all three' },
      ),
    ),
    groups_claim: Type.Optional(claimPath('the name of a claim, or a list of names that lead to a nested one')),
    memberships: Type.Optional(
      Type.Array(
        Type.Object(
          {
            group: boundedText('the name or id of a group, as the provider sends it'),
            account: boundedText('the address of an account'),
            role: Type.Enum(['owner', 'member', 'reader'], { description: 'owner, member or reader' }),
          },
          { ...strict, description: 'an object with "group", "account" and "role"' },
        ),
        { maxItems: 10_000, description: 'a list of objects with "group", "account" and "role"' },
      ),
    ),
    end_session: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { ...strict, description: 'an object with "id", "name", "issuer", "client_id" and "client_secret"' },
);
const Providers = Type.Array(Provider, { maxItems: maxProviders });

export const providersFile: SettingType<readonly ProviderSettings[]> = {
  name: 'path',
  parse: (path) => (path === '' ? [] : parseProviders(readSecretFile(path) ?? '')),
};

/** Messages continue the name of the setting, and never repeat a value: it may be a secret in the wrong place. */
function parseProviders(json: string): readonly ProviderSettings[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('names a file that is not JSON.');
  }
  if (!Check(Providers, value)) throw new Error(`names a file with a mistake: ${findMistake(value)}.`);
  const providers = value.map(toProvider);
  const repeated = (values: readonly string[]) => values.find((item, index) => values.indexOf(item) !== index);
  const id = repeated(providers.map((provider) => provider.id));
  if (id !== undefined) throw new Error(`names a file with two providers with the id ${id}.`);
  // Issuer and subject identify a person: two clients of one issuer would be two doors with different rules.
  const issuer = repeated(providers.map((provider) => provider.issuer));
  if (issuer !== undefined) throw new Error(`names a file with two providers with the issuer ${issuer}.`);
  return providers;
}

function toProvider(given: Static<typeof Provider>): ProviderSettings {
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
      claim: creation.claim === undefined ? undefined : { path: toPath(creation.claim), values: creation.values ?? [] },
    },
    groupsClaim: given.groups_claim === undefined ? undefined : toPath(given.groups_claim),
    memberships: (given.memberships ?? []).map((membership) => ({
      ...membership,
      account: toAddress(membership.account, complain),
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

function toAddress(text: string, complain: Complain): string {
  try {
    return emailAddress(text);
  } catch {
    throw complain('"account" of "memberships" must be the address of an account');
  }
}

function toPath(claim: string | string[]): ClaimPath {
  return typeof claim === 'string' ? [claim] : claim;
}

/** The first mistake, with its place and what is expected there. */
function findMistake(value: unknown): string {
  const errors = Errors(Providers, value);
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown) {
    const { additionalProperties: names = [] } = unknown.params as { additionalProperties?: readonly string[] };
    const fields = names.map((name) => JSON.stringify(name)).join(', ');
    return `${fields} in ${describePlace(value, unknown.instancePath)} is not a field that exists`;
  }
  const missing = errors.find(({ keyword }) => keyword === 'required');
  if (missing) {
    const { requiredProperties: names = [] } = missing.params as { requiredProperties?: readonly string[] };
    const fields = names.map((name) => JSON.stringify(name)).join(', ');
    return `${fields} is missing in ${describePlace(value, missing.instancePath)}`;
  }
  const path = errors[0]?.instancePath ?? '';
  return `${describePlace(value, path)} must be ${findDescription(path)}`;
}

/** `the provider entra`, `"scopes" of the provider entra`, or the position of a provider without an id. */
function describePlace(value: unknown, path: string): string {
  const [, index, ...fields] = path.split('/');
  if (index === undefined) return 'the file';
  const { id } = ((value as readonly unknown[])[Number(index)] ?? {}) as { id?: unknown };
  const isValid = typeof id === 'string' && Check(Provider.properties.id, id);
  const provider = isValid ? `the provider ${id}` : `provider ${Number(index) + 1}`;
  return fields.length === 0 ? provider : `"${fields.join('.')}" of ${provider}`;
}

/** The description of the innermost schema that has one. */
function findDescription(path: string): string {
  let schema = Providers as SchemaNode | undefined;
  let description = `a list of up to ${maxProviders} providers`;
  for (const step of path.split('/').slice(1)) {
    schema = schema?.properties?.[step] ?? schema?.items;
    description = schema?.description ?? description;
  }
  return description;
}

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}
