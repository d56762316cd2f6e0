import type { ErrorCode } from '@waybill/protocol';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isUuid } from '../is-uuid.ts';
import { query } from '../query.ts';
import { requireScanned } from '../require-scanned.ts';
import type { DropEnding, DroppedFile, Link, LinkSession } from './link-store.ts';
import { isProgramCredential, tokenDigest } from './link-token.ts';
import { isForbidden } from './shared-link-rule.ts';

const shape = /^[A-Za-z0-9_-]{43}$/;

/** A link that worked once and has ended: its page says whose it was. */
export class EndedLinkError extends ExchangeError {
  readonly link: Link;

  constructor(code: ErrorCode, link: Link) {
    super(code);
    this.link = link;
  }
}

/** The link that a token belongs to. Finding it changes nothing, because mail scanners visit every link. */
export async function findLink(
  engines: Pick<Engines, 'store' | 'policy'>,
  token: string,
  type?: Link['type'],
): Promise<Link> {
  const link = shape.test(token) ? await engines.store.links.byToken(tokenDigest(token)) : undefined;
  return requireKind(engines, link, type);
}

/** The browser in which a person opened a link; it may still have to enter a code. */
export async function findSession(
  engines: Pick<Engines, 'store' | 'policy'>,
  secret: string,
  type: Link['type'],
): Promise<LinkSession> {
  const session = shape.test(secret) ? await engines.store.links.bySession(tokenDigest(secret)) : undefined;
  if (!session) throw new ExchangeError('link_not_opened');
  requireKind(engines, session.link, type);
  return session;
}

/** The program that opened a link of this kind, or of any; it may still have to enter a code. */
export async function findProgramSession(
  engines: Pick<Engines, 'store' | 'policy'>,
  credential: string,
  type?: Link['type'],
): Promise<LinkSession> {
  const session = isProgramCredential(credential)
    ? await engines.store.links.bySession(tokenDigest(credential))
    : undefined;
  if (!session) throw new ExchangeError('unauthorized', noSession);
  requireKind(engines, session.link, type);
  return session;
}

/** The same session, after something about its code may have changed. */
export async function findSessionAgain(
  { store }: Pick<Engines, 'store'>,
  { digest }: LinkSession,
): Promise<LinkSession> {
  const session = await store.links.bySession(digest);
  if (!session) throw new ExchangeError('unauthorized', noSession);
  return session;
}

const noSession =
  'Send the session of an opened link as `Authorization: Bearer <session>`. It ends after a day, or with the link: open the link again.';

/** A download link does not open an upload page, nor the other way round. */
function requireKind(engines: Pick<Engines, 'policy'>, link: Link | undefined, type: Link['type'] | undefined): Link {
  if (!link || (type !== undefined && link.type !== type)) throw new ExchangeError('not_found');
  const ending = findEnding(isForbidden(engines, link) ? { ...link, revoked: true } : link);
  if (ending) throw new EndedLinkError(ending.code, link);
  // A contact's link says so itself: what was sent through it can still be seen.
  if (link.usedUp && link.kind !== 'receiver') throw new EndedLinkError('link_ended', link);
  return link;
}

export function requireLive(link: Pick<Link, 'ended' | 'revoked'>): void {
  const ending = findEnding(link);
  if (ending) throw ending;
}

/** A link for one sending takes no more files after it. */
export function requireUnused({ usedUp }: Pick<Link, 'usedUp'>): void {
  if (usedUp)
    throw new ExchangeError(
      'link_ended',
      'Files were sent through this link, and it takes no more. Ask the sender of the link for another one.',
    );
}

/** The error for a drop that has ended; undefined while it has not. */
export function findEnding({ ended, revoked }: Pick<Link, 'ended' | 'revoked'>): ExchangeError | undefined {
  if (revoked) return new ExchangeError('link_revoked');
  return ended ? new ExchangeError('link_ended') : undefined;
}

/** Which of these drops and links have ended, or are forbidden by a rule that became stricter. */
export async function findEndings(
  engines: Pick<Engines, 'store' | 'policy'>,
  drops: Parameters<Engines['store']['links']['endings']>[0],
): Promise<DropEnding[]> {
  const found = await engines.store.links.endings(drops);
  return found.map((drop) => (drop.rules && isForbidden(engines, drop.rules) ? { ...drop, revoked: true } : drop));
}

/** The receipt of a shared link tells what others did with it. */
export function requireOwnLink({ kind }: Pick<Link, 'kind'>): void {
  if (kind === 'receiver') return;
  throw new ExchangeError('not_found', 'Only the sender has the receipt of a shared link. Ask them for it.');
}

export async function findDroppedFile(
  engines: Pick<Engines, 'store' | 'policy'>,
  link: Link,
  fileId: string,
): Promise<DroppedFile> {
  const [file] = isUuid(fileId) ? await engines.store.links.files(link, fileId) : [];
  if (!file) throw new ExchangeError('not_found');
  await requireScanned(engines, link.accountId, [file]);
  return file;
}

/** All files of a link, as its receiver has them. */
export const listDroppedFiles = query((store) => store.links.files);
