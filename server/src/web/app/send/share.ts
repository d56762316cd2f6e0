import { errors } from '@waybill/protocol';
import type { Actor } from '../../../domain/actor.ts';
import { personAuthor } from '../../../domain/audit/author.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { findOwnAccounts } from '../../../domain/people/find-person.ts';
import { type AppRoute, type SignedInVisit, toAccountPath } from '../shared/app-route.ts';
import { readFormWithFiles } from './composer-form.ts';

/** The longest text that is taken from the Share menu: it becomes part of an address. */
const maxSharedText = 2000;

/** The Share menu of a phone on which the app is installed: keeps the files, and opens the composer with them. */
export const shareRoutes: readonly AppRoute[] = [
  {
    method: 'POST',
    path: '/share',
    access: 'complete',
    body: 'multipart',
    transfer: true,
    by: 'device',
    async handle(visit) {
      const { request, reply, session, transfers } = visit;
      const actor = await findOwnAccount(visit);
      request.member = { sessionId: session.id, accountId: actor.accountId, role: 'member' };
      return transfers.runSupervised(reply, async (ended) => {
        const { files, fields, refused } = await readFormWithFiles(visit, actor, ended);
        if (refused && errors[refused.error.code].status >= 500 && refused.error.code !== 'storage_full') {
          throw refused.error;
        }
        const query = new URLSearchParams({
          ...(files.length > 0 && { upload: files.map(({ id }) => id).join(' ') }),
          // The composer says what is wrong with it.
          ...(refused && { refused: refused.error.code }),
        }).toString();
        return reply.redirect(`${toAccountPath(actor.email)}${query && `?${query}`}${toFragment(fields)}`, 303);
      });
    },
  },
];

/** A text for the message: after the #, so that it is in no log. The composer's script takes it from there. */
function toFragment(fields: URLSearchParams): string {
  const texts = ['title', 'text', 'url'].map((name) => fields.get(name)?.trim() ?? '');
  const message = [...new Set(texts.filter((text) => text !== ''))].join('\n').slice(0, maxSharedText);
  return message === '' ? '' : `#message=${encodeURIComponent(message.toWellFormed())}`;
}

/** The person in their own account, or else in the first in which they may send. */
async function findOwnAccount({ engines, person, browser }: SignedInVisit): Promise<Actor> {
  const membership = (await findOwnAccounts(engines, person)).find(({ role }) => role !== 'reader');
  if (!membership) throw new ExchangeError('role_missing');
  const { accountId, account: email } = membership;
  return { accountId, email, author: personAuthor(person, browser.address) };
}
