import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { createOwnersKey, revokeKey } from '../../../domain/accounts/change-keys.ts';
import { parseNetwork } from '../../../domain/accounts/network.ts';
import { listKeys } from '../../../domain/accounts/read-accounts.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { AppRoute, MemberVisit } from '../shared/app-route.ts';
import { findEndOfDay } from '../shared/end-of-day.ts';
import { readFrame } from '../shared/frame.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { requireUuid } from '../shared/require-uuid.ts';
import { settingsTitle } from './settings-frame.tsx';
import {
  type KeyFields,
  type KeyProblem,
  keyScopes,
  SettingsKeysPage,
  type SettingsKeysPageProps,
} from './settings-keys-page.tsx';
import { isSettingsNotice } from './settings-notice.ts';

const path = '/:user/settings/keys';
const textLength = 10_000;

/** The API keys of an account. */
export const settingsKeysRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'owner',
    async handle(visit) {
      const { notice } = visit.request.query as { notice?: unknown };
      return replyWithKeys(visit, isSettingsNotice(notice) ? { notice } : {});
    },
  },
  {
    method: 'POST',
    path,
    access: 'owner',
    recent: 'settings/keys',
    async handle(visit) {
      const { engines, actor, form, person } = visit;
      const fields = readFields(form);
      const refuse = (problem: KeyProblem) => replyWithKeys(visit, { refused: { ...fields, problem } });
      const networks = fields.networks.split(/[\s,;]+/).filter((text) => text !== '');
      const expiresAt = fields.expires === '' ? null : findEndOfDay(fields.expires, person.timeZone || undefined);
      if (fields.name === '' || fields.name.length > limits.keyNameLength) return refuse('name');
      if (fields.scopes?.length === 0) return refuse('scopes');
      if (networks.length > limits.networksPerKey || !networks.every(parseNetwork)) return refuse('networks');
      if (expiresAt === undefined || (expiresAt && expiresAt.getTime() <= Date.now())) return refuse('expires');
      try {
        const rights = { scopes: fields.scopes, networks: networks.length === 0 ? null : networks, expiresAt };
        const { apiKey } = await createOwnersKey(engines, actor, { name: fields.name, ...rights });
        return await replyWithKeys(visit, { created: { name: fields.name, secret: apiKey } });
      } catch (error) {
        if (error instanceof ExchangeError && error.code === 'too_many_keys') return refuse('too_many');
        throw error;
      }
    },
  },
  {
    method: 'POST',
    path: `${path}/revoke`,
    access: 'owner',
    async handle(visit) {
      const { engines, actor, base, form, reply } = visit;
      const account = { id: actor.accountId, email: actor.email };
      await revokeKey(engines, account, { keyId: requireUuid(form.get('id')) }, actor.author);
      return reply.redirect(`${base}settings/keys?notice=key_revoked#keys`, 303);
    },
  },
];

function readFields(form: URLSearchParams): KeyFields {
  const chosen = form.getAll('scope');
  return {
    name: (form.get('name') ?? '').trim(),
    scopes: form.has('all') ? null : keyScopes.filter((scope) => chosen.includes(scope)),
    networks: (form.get('networks') ?? '').slice(0, textLength),
    expires: (form.get('expires') ?? '').slice(0, 40),
  };
}

async function replyWithKeys(
  visit: MemberVisit,
  shown: Pick<SettingsKeysPageProps, 'created' | 'refused' | 'notice'>,
): Promise<FastifyReply> {
  const { engines, actor, reply, translator } = visit;
  if (shown.refused) reply.code(400);
  const [frame, keys] = await Promise.all([readFrame(visit), listKeys(engines, actor.accountId)]);
  const page = <SettingsKeysPage frame={frame} now={new Date()} keys={keys} {...shown} />;
  return replyWithAppPage(visit, { title: settingsTitle(translator), page, layout: 'app', script: 'settings' });
}
