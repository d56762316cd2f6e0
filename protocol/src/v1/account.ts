import { type Static, Type } from 'typebox';
import { Key } from './key.ts';

/** The account, and the key that asks. */
export const AccountView = Type.Object({
  email: Type.String({ description: 'The address of the account, which is its user name, too.' }),
  display_name: Type.String({ description: 'Who sends, as receivers read it.' }),
  number: Type.String({ description: 'The telephone number of the account, in digits.' }),
  language: Type.String({ description: 'The language of mails to the account, such as en or pt-BR.' }),
  key: Type.Object(Type.Pick(Key, ['id', 'scopes', 'networks', 'expires_at']).properties, {
    description: 'The key of this request, and what it may do.',
  }),
});
export type AccountView = Static<typeof AccountView>;
