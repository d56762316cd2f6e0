import { limits } from '@waybill/protocol';
import { readReceivers } from '../../domain/contacts/read-receivers.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { AppRoute } from './app-route.ts';

const path = '/:user/receivers';
/** As many as a list below a field shows. */
const maxSuggestions = 8;
const maxGroups = 3;

/** Completes receivers while a person types, and understands a list of them. */
export const receiverRoutes: readonly AppRoute[] = [
  {
    method: 'GET',
    path,
    access: 'member',
    async handle({ engines, actor, request, reply }) {
      const { q = '', group } = request.query as { q?: unknown; group?: unknown };
      const { receivers } = engines.store;
      if (typeof group === 'string' && group.length <= limits.groupLength) {
        const people = await receivers.inGroup(actor.accountId, group, limits.receiversPerDispatch);
        return reply.send({ people, groups: [] });
      }
      const text = typeof q === 'string' ? q.trim().slice(0, limits.emailLength) : '';
      // Groups have to be asked for, while recent receivers are worth offering at once.
      const groups = text === '' ? [] : await receivers.findGroups(actor.accountId, text, maxGroups);
      const people = await receivers.find(actor.accountId, text, maxSuggestions - groups.length);
      return reply.send({ people, groups });
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
