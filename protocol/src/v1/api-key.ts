import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page } from './page.ts';
import { Scope, scopes } from './scope.ts';
import { describeTime, Nullable, Time } from './values.ts';

const Networks = Type.Array(
  Type.String({ maxLength: 64, description: 'an address or a network, such as 192.0.2.7 or 2001:db8::/32' }),
  {
    minItems: 1,
    maxItems: limits.networksPerKey,
    description: 'one or more addresses or networks from which the key may be used',
  },
);

const aboutModes =
  'live: a key of the account. test: a key of its test account, which sends only to addresses whose domain begins with `test.`, and whose mails and SMS are kept and never sent.';
export const KeyMode = Type.Enum(['live', 'test'], { type: 'string', description: aboutModes });

export const ApiKey = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier of the key; not a secret.' }),
    name: Type.String({ description: 'Purpose of the key.' }),
    mode: KeyMode,
    hint: Type.String({ description: 'First characters of the key, to tell it from others.' }),
    scopes: Nullable(Type.Array(Scope), 'Rights of the key; null: all.'),
    networks: Nullable(
      Type.Array(Type.String()),
      'Addresses and networks from which it may be used; null: any address.',
    ),
    created_at: describeTime('When it was created.'),
    created_by: Nullable(
      Type.String({ format: 'uuid' }),
      'The `id` of the key that created it; null if an administrator or an owner of the account did.',
    ),
    expires_at: Nullable(Time, 'Until when it can be used; null: without an end.'),
    last_used_at: Nullable(Time, 'When it was last used, accurate to ten minutes.'),
    revoked_at: Nullable(Time, 'When it was revoked; null if it was not.'),
  },
  { description: 'An API key, without its secret. Null means without restriction.' },
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyPage = Page(ApiKey, 'The API keys of the account.');

export const NewApiKey = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.keyNameLength, description: 'Purpose of the key.' }),
    scopes: Type.Array(Scope, {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: 'one or more scopes',
    }),
    mode: Type.Optional({ ...KeyMode, description: `${aboutModes} If not given: that of the key that creates it.` }),
    networks: Type.Optional(Networks),
    expires_at: Type.Optional(describeTime('a time such as 2030-01-31T12:00:00Z, until which it can be used')),
  },
  { additionalProperties: false, description: 'The rights of a new API key.' },
);
export type NewApiKey = Static<typeof NewApiKey>;

export const CreatedApiKey = Type.Object(
  {
    ...ApiKey.properties,
    api_key: Type.String({ description: 'The secret. Keep it: no other response contains it.' }),
  },
  { description: 'A new API key with its secret.' },
);

export const RevokeApiKeyQuery = Type.Object(
  {
    descendants: Type.Optional(
      Type.Boolean({
        description:
          'Revoke also the keys that it created, those that they created, and so on, and disable the webhooks that any of them created; false if not given.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const RevokedApiKeys = Type.Object(
  {
    ids: Type.Array(Type.String({ format: 'uuid' }), { description: 'The `id` of each key that was revoked.' }),
    webhooks_disabled: Type.Integer({ minimum: 0, description: 'Number of webhooks that were disabled.' }),
    webhooks_live: Type.Integer({
      minimum: 0,
      description: 'Number of live webhooks that the key created: their `created_by` is the `id` of the key.',
    }),
  },
  { description: 'The result of a revocation of an API key.' },
);
