import { CreatedKey, KeyList, KeyRevocation, NewKey, RevokedKeys } from '@waybill/protocol';
import { Type } from 'typebox';
import { createRestrictedKey } from '../../domain/accounts/create-key.ts';
import { revokeKeyWithin } from '../../domain/accounts/revoke-key.ts';
import type { ApiKey } from '../../domain/ports/index.ts';
import { route } from './route.ts';

export const listKeys = route({
  method: 'GET',
  path: '/keys',
  id: 'listKeys',
  summary: 'List the account’s keys: the live ones, and the newest of the others',
  scope: 'keys',
  answer: { status: 200, description: 'At most 100 keys.', schema: KeyList },
  errors: [],
  handle: async ({ engines, caller }) => ({
    body: { data: (await engines.store.accounts.keys(caller.accountId)).map(shown) },
  }),
});

export const createKey = route({
  method: 'POST',
  path: '/keys',
  id: 'createKey',
  summary: 'Create a key that may do no more than the one that creates it',
  scope: 'keys',
  body: NewKey,
  example: { name: 'nightly upload', scopes: ['send'], networks: ['192.0.2.0/24'] },
  answer: { status: 201, description: 'The key, which is shown only once.', schema: CreatedKey },
  errors: ['too_many_keys'],
  async handle({ engines, caller, body: { name, scopes, networks = null, expires_at: end } }) {
    const expiresAt = end === undefined ? null : new Date(end);
    const { key, apiKey } = await createRestrictedKey(engines, caller, { name, scopes, networks, expiresAt });
    return { body: { ...shown(key), api_key: apiKey } };
  },
});

export const deleteKey = route({
  method: 'DELETE',
  path: '/keys/:id',
  id: 'revokeKey',
  summary: 'Revoke a key that may do no more than the one that revokes it: it is refused from now on',
  scope: 'keys',
  params: Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of a live key.' }) }),
  query: KeyRevocation,
  answer: { status: 200, description: 'What was revoked, and what goes on.', schema: RevokedKeys },
  errors: ['not_found'],
  async handle({ engines, caller, params, query: { descendants = false } }) {
    const revoked = await revokeKeyWithin(engines, caller, { keyId: params.id, descendants });
    const { ids, webhooksDisabled, webhooksLive } = revoked;
    return { body: { ids, webhooks_disabled: webhooksDisabled, webhooks_live: webhooksLive } };
  },
});

function shown(key: ApiKey) {
  const { id, name, hint, scopes, networks, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } = key;
  return {
    id,
    name,
    hint,
    scopes,
    networks,
    created_at: createdAt,
    created_by: createdBy,
    expires_at: expiresAt,
    last_used_at: lastUsedAt,
    revoked_at: revokedAt,
  };
}
