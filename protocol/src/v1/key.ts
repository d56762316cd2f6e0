import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Scope } from './scope.ts';
import { Time, timeOf } from './time.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.keyNameLength, description: 'What the key is for.' });
const Scopes = Type.Array(Scope, {
  minItems: 1,
  uniqueItems: true,
  description: 'one or more scopes: what the key may do',
});
const Network = Type.String({
  maxLength: 64,
  description: 'an address or a network, such as 192.0.2.7 or 2001:db8::/32',
});

/** A key as it is listed. Null means without restriction: every scope, any address, no end. */
export const Key = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Which key it is; not a secret.' }),
  name: Type.String({ description: 'What the key is for.' }),
  hint: Type.String({ description: 'How the key begins, to tell it from others.' }),
  scopes: Type.Union([Type.Array(Scope), Type.Null()], { description: 'What the key may do; null: everything.' }),
  networks: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'From which addresses and networks it may be used; null: from any.',
  }),
  created_at: timeOf('When it was created.'),
  created_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: 'The `id` of the key that created it; null if an administrator did.',
  }),
  expires_at: Type.Union([Time, Type.Null()], { description: 'Until when it can be used; null: without an end.' }),
  last_used_at: Type.Union([Time, Type.Null()], { description: 'Accurate to ten minutes.' }),
  revoked_at: Type.Union([Time, Type.Null()], { description: 'When it was revoked; null if it was not.' }),
});
export type Key = Static<typeof Key>;

export const KeyList = Type.Object({ data: Type.Array(Key) });

export const NewKey = Type.Object(
  {
    name: Name,
    scopes: Scopes,
    networks: Type.Optional(
      Type.Array(Network, {
        minItems: 1,
        maxItems: limits.networksPerKey,
        description: 'one or more addresses or networks from which the key may be used',
      }),
    ),
    expires_at: Type.Optional(timeOf('a time such as 2030-01-31T12:00:00Z, until which it can be used')),
  },
  { additionalProperties: false },
);
export type NewKey = Static<typeof NewKey>;

export const KeyRevocation = Type.Object(
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

export const RevokedKeys = Type.Object({
  ids: Type.Array(Type.String({ format: 'uuid' }), { description: 'The `id` of each key that was revoked.' }),
  webhooks_disabled: Type.Integer({ minimum: 0, description: 'How many webhooks were disabled.' }),
  webhooks_live: Type.Integer({
    minimum: 0,
    description: 'How many webhooks that the key created go on: `created_by` of a webhook is the `id` of the key.',
  }),
});

/** The only answer that has the key itself. */
export const CreatedKey = Type.Object({
  ...Key.properties,
  api_key: Type.String({ description: 'The key itself. Keep it: no other answer has it.' }),
});
