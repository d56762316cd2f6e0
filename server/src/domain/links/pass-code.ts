import { timingSafeEqual } from 'node:crypto';
import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { deriveCode, withoutSpaces } from './issue-code.ts';
import type { LinkSession } from './link-store.ts';

export const maxTries = 5;

/** Whether this is the code that was sent for this browser. Every try counts, and is counted before it is checked. */
export async function passCode(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random'>,
  session: LinkSession,
  typed: string,
  address?: string,
): Promise<boolean> {
  const { links } = engines.store;
  const codeId = await links.tryCode(session.digest, maxTries);
  const key = await links.key(session.link);
  if (!key) throw new ExchangeError('link_ended');
  if (codeId === undefined) return false;
  const linkKey = await engines.dayKeys.unwrap(key.wrapped, key.day, session.link.dropId);
  const right = Buffer.from(deriveCode(linkKey, codeId));
  const given = Buffer.from(withoutSpaces(typed));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
  const { accountId, dropId, position, receiver } = session.link;
  return engines.store.transaction(async (tx) => {
    const channel = await tx.links.pass(session, codeId);
    if (channel === undefined) return false;
    await tx.evidence.append([{ accountId, dropId, position, kind: 'code.entered', data: { channel } }]);
    const [author, addresses] = [linkAuthor(session.link, address), [receiver]];
    const details = { dropId, position, channel };
    await record(engines, tx, { accountId, author, action: 'link.code_entered', addresses, details });
    return true;
  });
}
