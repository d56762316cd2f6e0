import { type Static, Type } from 'typebox';

/** The rights that an API key can have on /api/v1. */
export const scopes = ['send', 'receive', 'contacts', 'history', 'webhooks', 'keys'] as const;
export const Scope = Type.Enum([...scopes], {
  // With a type, validators compare the entries of a list in linear time.
  type: 'string',
  description: 'A right of an API key.',
});
export type Scope = Static<typeof Scope>;
