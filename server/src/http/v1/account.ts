import { AccountView } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { route } from './route.ts';

export const readAccount = route({
  method: 'GET',
  path: '/account',
  id: 'readAccount',
  summary: 'Get the account that the key belongs to, and what the key may do',
  scope: null,
  answer: { status: 200, description: 'The account and the key.', schema: AccountView },
  errors: [],
  async handle({ engines, caller }) {
    const account = await engines.store.accounts.byId(caller.accountId);
    if (!account) throw new ExchangeError('unauthorized');
    const { id, scopes, networks, expiresAt } = caller.key;
    const { email, displayName, number, language } = account;
    const key = { id, scopes, networks, expires_at: expiresAt };
    return { body: { email, display_name: displayName, number, language, key } };
  },
});
