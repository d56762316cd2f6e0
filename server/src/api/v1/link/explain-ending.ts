import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { EndedLinkError } from '../../../domain/links/find-link.ts';
import type { Link } from '../../../domain/links/link-store.ts';
import { toReference } from '../../../domain/reference.ts';

/** Says whom to ask for another link, as the page of a link that has ended does. */
export async function explainEnding<Found>(request: FastifyRequest, find: () => Promise<Found>): Promise<Found> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof EndedLinkError)) throw error;
    request.dropId = error.link.dropId;
    throw new ExchangeError(error.code, describeEnding(error.code, error.link), { cause: error });
  }
}

function describeEnding(code: ExchangeError['code'], { sender, dropId, kind, ended, usedUp }: Link): string {
  const isUsedUp = kind !== 'receiver' && usedUp && !ended;
  const expired = isUsedUp ? 'The link was used as often as it may be' : 'The link has expired';
  const how = code === 'link_revoked' ? 'The link was revoked' : expired;
  return `${how}. Ask ${sender} for a new one, and name the reference ${toReference(dropId)}.`;
}
