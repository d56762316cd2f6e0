import type { Actor } from '../src/domain/actor.ts';
import { findLink } from '../src/domain/links/find-link.ts';
import type { Link } from '../src/domain/links/link-store.ts';
import { linkToken } from '../src/domain/links/link-token.ts';
import type { TestExchange } from './exchange.ts';

export interface SentLink {
  readonly sender: Actor;
  readonly dropId: string;
  /** The first receiver's. */
  readonly token: string;
  readonly link: Link;
}

/** A drop of these files, and the link of its first receiver. */
export async function sentLink(
  exchange: TestExchange,
  files: readonly string[],
  receivers: readonly string[] = ['r@example.org'],
  sender?: Actor,
): Promise<SentLink> {
  const from = sender ?? (await exchange.account(...receivers));
  const dropId = await exchange.drop(from, receivers, files);
  const token = await deriveToken(exchange, from, dropId, 0);
  return { sender: from, dropId, token, link: await findLink(exchange.engines, token, 'downloadfiles') };
}

/** The token in a receiver's mail; the database does not contain it. */
export async function deriveToken(
  exchange: TestExchange,
  sender: Actor,
  dropId: string,
  position: number,
): Promise<string> {
  const [drop] = await exchange.database.query<{ link_key: Buffer; key_day: number }>(
    'select link_key, key_day from drops where account_id = $1 and id = $2',
    [sender.accountId, dropId],
  );
  if (!drop) throw new Error('no such drop');
  return linkToken(await exchange.engines.dayKeys.unwrap(drop.link_key, drop.key_day, dropId), position);
}
