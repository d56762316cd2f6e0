import { limits } from '@waybill/protocol';
import { type EventType, eventTypes } from '@waybill/protocol/v1';
import type { FastifyReply } from 'fastify';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { isUuid } from '../../../domain/is-uuid.ts';
import {
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  replaceWebhookSecret,
  replayEvents,
} from '../../../domain/webhooks/change-webhook.ts';
import { findWebhook, listWebhookAttempts, listWebhooks } from '../../../domain/webhooks/find-webhook.ts';
import { sendTestEvent } from '../../../domain/webhooks/send-test-event.ts';
import type { Webhook } from '../../../domain/webhooks/webhook-store.ts';
import type { AppContext, AppRequest, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { readFrame } from '../shared/frame.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { requireUuid } from '../shared/require-uuid.ts';
import { settingsTitle } from './settings-frame.tsx';
import { isSettingsNotice, type SettingsNotice } from './settings-notice.ts';
import { SettingsWebhookPage, type SettingsWebhookPageProps } from './settings-webhook-page.tsx';
import {
  SettingsWebhooksPage,
  type SettingsWebhooksPageProps,
  type WebhookProblem,
} from './settings-webhooks-page.tsx';

const path = '/:user/settings/webhooks';
const attemptsPerPage = 50;
/** How long requests are also signed with the secret before. */
const previousSeconds = 24 * 60 * 60;

/** The webhooks of an account. */
export const settingsWebhooksRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'owner',
    handle: async (visit) => replyWithWebhooks(visit, readNotice(visit)),
  },
  {
    method: 'POST',
    path,
    access: 'owner',
    recent: 'settings/webhooks',
    async handle(visit) {
      const { engines, actor } = visit;
      const input = readInput(visit.form);
      try {
        const webhook = await createWebhook(engines, actor, input);
        return await replyWithWebhooks(visit, { created: { url: webhook.url, secret: deriveSecret(visit, webhook) } });
      } catch (error) {
        return replyWithWebhooks(visit, { refused: { ...toFields(input), problem: requireProblem(error) } });
      }
    },
  },
  {
    method: 'GET',
    path: `${path}/:id`,
    access: 'owner',
    async handle(visit) {
      const { id } = visit.request.params as { id: string };
      return replyWithWebhook(visit, requireUuid(id), readNotice(visit));
    },
  },
  {
    method: 'POST',
    path: `${path}/change`,
    access: 'owner',
    recent: findPage,
    async handle(visit) {
      const { engines, actor, form } = visit;
      const { id } = readWhich(visit);
      const input = readInput(form);
      try {
        await changeWebhook(engines, actor, { id, ifVersion: [form.get('version') ?? ''] }, input);
      } catch (error) {
        if (error instanceof ExchangeError && error.code === 'precondition_failed')
          return replyWithWebhook(visit, id, { isOvertaken: true });
        return replyWithWebhook(visit, id, { refused: { ...toFields(input), problem: requireProblem(error) } });
      }
      return returnTo(visit, `/${id}`, 'webhook_saved');
    },
  },
  {
    method: 'POST',
    path: `${path}/secret`,
    access: 'owner',
    recent: findPage,
    async handle(visit) {
      const { id } = readWhich(visit);
      const webhook = await replaceWebhookSecret(visit.engines, visit.actor, readWhich(visit), previousSeconds);
      return replyWithWebhook(visit, id, { secret: deriveSecret(visit, webhook) });
    },
  },
  {
    method: 'POST',
    path: `${path}/remove`,
    access: 'owner',
    async handle(visit) {
      await removeWebhook(visit.engines, visit.actor, readWhich(visit));
      return returnTo(visit, '', 'webhook_removed');
    },
  },
  {
    ...change('enable', 'webhook_enabled', (visit) => enableWebhook(visit.engines, visit.actor, readWhich(visit))),
    recent: findPage,
  },
  change('disable', 'webhook_disabled', (visit) => disableWebhook(visit.engines, visit.actor, readWhich(visit))),
  change('test', 'test_sent', (visit) => sendTestEvent(visit.engines, visit.actor, readWhich(visit).id)),
  change('replay', 'event_replayed', (visit) => {
    const which = { eventId: requireUuid(visit.form.get('event')) };
    return replayEvents(visit.engines, visit.actor, readWhich(visit).id, which);
  }),
];

/** The page of the webhook that a form is about. */
function findPage(form: URLSearchParams): string {
  const id = form.get('id') ?? '';
  return isUuid(id) ? `settings/webhooks/${id}` : 'settings/webhooks';
}

function change(name: string, notice: SettingsNotice, make: (visit: MemberVisit) => Promise<unknown>): AppRoute {
  return {
    method: 'POST',
    path: `${path}/${name}`,
    access: 'owner',
    async handle(visit) {
      await make(visit);
      return returnTo(visit, `/${readWhich(visit).id}`, notice);
    },
  };
}

const readWhich = ({ form }: AppRequest) => ({ id: requireUuid(form.get('id')), ifVersion: undefined });

function readNotice({ request }: AppRequest): { notice?: SettingsNotice } {
  const { notice } = request.query as { notice?: unknown };
  return isSettingsNotice(notice) ? { notice } : {};
}

/** No type, or every type: all events, also of types that do not exist yet. */
function readInput(form: URLSearchParams) {
  const chosen = form.getAll('type');
  const types: EventType[] = eventTypes.filter((type) => chosen.includes(type));
  return {
    url: (form.get('url') ?? '').trim().slice(0, limits.webhookUrlLength),
    description: (form.get('description') ?? '').trim().slice(0, limits.webhookDescriptionLength),
    types: types.length === 0 || types.length === eventTypes.length ? null : types,
  };
}

const toFields = ({ types, ...input }: ReturnType<typeof readInput>) => ({ ...input, types: types ?? [] });

function requireProblem(error: unknown): WebhookProblem {
  if (error instanceof ExchangeError && error.code === 'invalid_input') return 'url';
  if (error instanceof ExchangeError && error.code === 'too_many_webhooks') return 'too_many';
  throw error;
}

function deriveSecret({ engines, actor }: AppContext & Member, { id, salt }: Webhook): string {
  return engines.webhookSecrets.deriveSecret({ accountId: actor.accountId, webhookId: id, salt });
}

async function returnTo(
  { base, reply }: AppRequest & Member,
  where: string,
  notice: SettingsNotice,
): Promise<FastifyReply> {
  return reply.redirect(`${base}settings/webhooks${where}?notice=${notice}#webhooks`, 303);
}

async function replyWithWebhooks(
  visit: MemberVisit,
  shown: Pick<SettingsWebhooksPageProps, 'created' | 'refused' | 'notice'>,
): Promise<FastifyReply> {
  const { engines, actor, reply, translator } = visit;
  if (shown.refused) reply.code(400);
  const [frame, webhooks] = await Promise.all([
    readFrame(visit),
    listWebhooks(engines, actor.accountId, limits.webhooksPerAccount),
  ]);
  const page = (
    <SettingsWebhooksPage frame={frame} now={new Date()} webhooks={webhooks} eventTypes={eventTypes} {...shown} />
  );
  return replyWithAppPage(visit, { title: settingsTitle(translator), page, layout: 'app', script: 'settings' });
}

async function replyWithWebhook(
  visit: MemberVisit,
  id: string,
  shown: Pick<SettingsWebhookPageProps, 'secret' | 'refused' | 'isOvertaken' | 'notice'>,
): Promise<FastifyReply> {
  const { engines, actor, base, reply, request, translator } = visit;
  if (shown.refused || shown.isOvertaken) reply.code(shown.refused ? 400 : 409);
  const { before } = request.query as { before?: unknown };
  const from = typeof before === 'string' && isUuid(before) ? { id: before } : undefined;
  const [frame, webhook, found] = await Promise.all([
    readFrame(visit),
    findWebhook(engines, actor, id),
    listWebhookAttempts(engines, actor.accountId, id, from, attemptsPerPage + 1),
  ]);
  const attempts = found.slice(0, attemptsPerPage);
  const href = `${base}settings/webhooks/${id}`;
  const page = (
    <SettingsWebhookPage
      frame={frame}
      now={new Date()}
      webhook={webhook}
      eventTypes={eventTypes}
      attempts={attempts}
      pages={{
        newerHref: from && href,
        olderHref: found.length > attempts.length ? `${href}?before=${attempts.at(-1)?.id}` : undefined,
      }}
      {...shown}
    />
  );
  return replyWithAppPage(visit, { title: settingsTitle(translator), page, layout: 'app', script: 'settings' });
}
