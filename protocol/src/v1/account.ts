import { type Static, Type } from 'typebox';
import { Key } from './key.ts';

/** The account, and the key that asks. */
export const AccountView = Type.Object({
  email: Type.String(),
  display_name: Type.String(),
  number: Type.String(),
  language: Type.String(),
  key: Type.Pick(Key, ['id', 'scopes', 'networks', 'expires_at']),
});
export type AccountView = Static<typeof AccountView>;
