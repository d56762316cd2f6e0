import { limits } from '@waybill/protocol';
import { listGroupMembers, suggestReceivers } from '../../../domain/contacts/read-contacts.ts';
import { readReceivers } from '../../../domain/contacts/read-receivers.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { AppRoute } from '../shared/app-route.ts';

const path = '/:user/receivers';

/** Completes receivers while a person types, and understands a list of them. */
export const receiverRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'member',
    async handle({ engines, actor, request, reply }) {
      const { q = '', group } = request.query as { q?: unknown; group?: unknown };
      if (typeof group === 'string' && group.length <= limits.groupLength) {
        const people = await listGroupMembers(engines, actor.accountId, group, limits.receiversPerDispatch);
        return reply.send({ people, groups: [] });
      }
      const text = typeof q === 'string' ? q.trim().slice(0, limits.emailLength) : '';
      return reply.send(await suggestReceivers(engines, actor, text));
    },
  },
  {
    method: 'POST',
    path,
    access: 'member',
    async handle({ engines, actor, form, reply }) {
      const text = form.get('text');
      if (text === null) throw new ExchangeError('invalid_input');
      return reply.send(await readReceivers(engines, actor, text));
    },
  },
];
