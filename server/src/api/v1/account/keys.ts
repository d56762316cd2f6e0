import {
  ApiKeyPage,
  CreatedApiKey,
  NewApiKey,
  pageParameters,
  RevokeApiKeyQuery,
  RevokedApiKeys,
} from '@waybill/protocol/v1';
import { Type } from 'typebox';
import type { ApiKey } from '../../../domain/accounts/account-store.ts';
import { createRestrictedKey, revokeKeyWithin } from '../../../domain/accounts/change-keys.ts';
import { listKeys } from '../../../domain/accounts/read-accounts.ts';
import { toPageOf } from '../cursor.ts';
import { route } from '../route.ts';

export const readKeys = route({
  method: 'GET',
  path: '/keys',
  id: 'listApiKeys',
  summary: 'List the keys of the account and of its test account: those that can be used, and the newest of the others',
  scope: 'keys',
  query: Type.Object(pageParameters, { additionalProperties: false }),
  response: { status: 200, description: 'A page of at most 200 keys in all.', schema: ApiKeyPage },
  errors: [],
  async handle({ engines, caller, query }) {
    const keys = await listKeys(engines, caller.accountId);
    return { body: toPageOf(engines, caller, 'keys', query, keys, toApiKey) };
  },
});

export const createKey = route({
  method: 'POST',
  path: '/keys',
  id: 'createApiKey',
  summary: 'Create a key that may do no more than the one that creates it',
  scope: 'keys',
  body: NewApiKey,
  response: { status: 201, description: 'The key, which is shown only once.', schema: CreatedApiKey },
  errors: ['too_many_keys'],
  async handle({ engines, caller, body: { name, scopes, mode, networks = null, expires_at: end } }) {
    const expiresAt = end === undefined ? null : new Date(end);
    const { key, apiKey } = await createRestrictedKey(engines, caller, { name, scopes, mode, networks, expiresAt });
    return { body: { ...toApiKey(key), api_key: apiKey } };
  },
});

export const deleteKey = route({
  method: 'DELETE',
  path: '/keys/:id',
  id: 'revokeApiKey',
  summary: 'Revoke a key that may do no more than the one that revokes it: it is refused from now on',
  scope: 'keys',
  params: Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of a live key.' }) }),
  query: RevokeApiKeyQuery,
  response: {
    status: 200,
    description: 'The keys that were revoked, and the webhooks that stay active.',
    schema: RevokedApiKeys,
  },
  errors: ['not_found'],
  async handle({ engines, caller, params, query: { descendants = false } }) {
    const revoked = await revokeKeyWithin(engines, caller, { keyId: params.id, descendants });
    const { ids, webhooksDisabled, webhooksLive } = revoked;
    return { body: { ids, webhooks_disabled: webhooksDisabled, webhooks_live: webhooksLive } };
  },
});

function toApiKey(key: ApiKey) {
  const { id, name, isTest, hint, scopes, networks, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } = key;
  return {
    id,
    name,
    mode: isTest ? 'test' : 'live',
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
