import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Scope } from './scope.ts';
import { Time } from './time.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.keyNameLength });
const Scopes = Type.Array(Scope, { minItems: 1, uniqueItems: true });
const Network = Type.String({
  maxLength: 64,
  description: 'an address or a network, such as 192.0.2.7 or 2001:db8::/32',
});

/** A key as it is listed. Null means without restriction: every scope, any address, no end. */
export const Key = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  hint: Type.String({ description: 'How the key begins, to tell it from others.' }),
  scopes: Type.Union([Type.Array(Scope), Type.Null()]),
  networks: Type.Union([Type.Array(Type.String()), Type.Null()]),
  created_at: Time,
  expires_at: Type.Union([Time, Type.Null()]),
  last_used_at: Type.Union([Time, Type.Null()], { description: 'Accurate to ten minutes.' }),
  revoked_at: Type.Union([Time, Type.Null()]),
});
export type Key = Static<typeof Key>;

export const KeyList = Type.Object({ data: Type.Array(Key) });

export const NewKey = Type.Object(
  {
    name: Name,
    scopes: Scopes,
    networks: Type.Optional(Type.Array(Network, { minItems: 1, maxItems: limits.networksPerKey })),
    expires_at: Type.Optional(Time),
  },
  { additionalProperties: false },
);
export type NewKey = Static<typeof NewKey>;

/** The only answer that has the key itself. */
export const CreatedKey = Type.Object({ ...Key.properties, api_key: Type.String() });
