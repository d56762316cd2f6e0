import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import { linkToken, tokenDigest } from '../links/link-token.ts';
import type { SharedLinkKind } from '../links/shared-link-rule.ts';
import type { Store } from '../store.ts';

/** Below it are the positions of receivers. */
export const firstSharedPosition = 1_000_000;
/** New ones may be made after one was revoked or has ended; each keeps its record. */
const maxPerDrop = 100;

export interface SharedLinkInput {
  readonly kind: SharedLinkKind;
  /** Seconds until it ends, or when; with neither, it ends with its drop. */
  readonly expiresIn?: number | undefined;
  readonly expiresAt?: Date | undefined;
  readonly maxDownloads: number | null;
}

export const toSeconds = ({ expiresIn, expiresAt }: Pick<SharedLinkInput, 'expiresIn' | 'expiresAt'>) =>
  expiresIn ?? (expiresAt && (expiresAt.getTime() - Date.now()) / 1000);

/** Adds a link to a new drop: a part of the transaction that writes it. Returns its token. */
export async function writeSharedLink(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  actor: Actor,
  dropId: string,
  linkKey: Buffer,
  input: SharedLinkInput,
): Promise<{ readonly position: number; readonly token: string }> {
  const { accountId, author } = actor;
  const earlier = await tx.sharedLinks.list(accountId, dropId);
  if (earlier.length >= maxPerDrop)
    throw new ExchangeError('invalid_input', `A drop has at most ${maxPerDrop} shared links. Send a new one instead.`);
  const position = (earlier.at(-1)?.position ?? firstSharedPosition - 1) + 1;
  const token = linkToken(linkKey, position);
  const seconds = toSeconds(input);
  const expiresAt = seconds === undefined ? null : new Date(Date.now() + seconds * 1000);
  const { kind, maxDownloads } = input;
  await tx.sharedLinks.insert(accountId, dropId, {
    kind,
    position,
    tokenDigest: tokenDigest(token),
    createdBy: author.name,
    expiresAt,
    maxDownloads,
  });
  const story = { accountId, dropId, position };
  const code = kind === 'named' ? 'mail' : 'none';
  await tx.evidence.append([
    { ...story, kind: 'content.consigned', data: { address: '', shared: kind, code, notified: false } },
    { ...story, kind: 'link.shown', data: { by: author.name } },
  ]);
  await record(engines, tx, { accountId, author, action: 'link.created', details: { dropId, position, kind } });
  const data = { shared_link_id: position, kind };
  await tx.events.append(dropEvents({ accountId, dropId, type: 'downloadfiles' }, 'link_created', data));
  return { position, token };
}
