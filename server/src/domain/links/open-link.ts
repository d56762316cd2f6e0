import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isCode, issueCode } from './issue-code.ts';
import type { Link, LinkSession } from './link-store.ts';
import { makeProgramCredential, tokenDigest } from './link-token.ts';
import { passAsReceiver } from './which-receiver.ts';

/**
 * How long a browser's cookie is recognised after the link's deadline, so that its page can say that the link has
 * ended.
 */
const keepSessionSeconds = 30 * 24 * 60 * 60;
/**
 * As many as the codes a link may have in its life, so that no browser that passed a code loses its session to one that
 * did not. A person has only a few browsers. Opening the link again and again ends only sessions of the same link, and
 * the link opens those again. A limit on attempts would lock the receiver out instead.
 */
export const maxSessions = 50;
/** Of a shared link, which many people open. */
export const maxVisits = 5_000;

/**
 * When a person clicks, exchanges the link for a secret that only this browser has, and sends a code if one is
 * required and no passphrase has to be entered first. Returns the secret; only its digest is stored.
 */
export async function openLink(
  engines: Pick<Engines, 'store' | 'random' | 'policy' | 'sms'>,
  link: Link,
  address?: string,
): Promise<string> {
  const secret = engines.random.bytes(32).toString('base64url');
  await openSession(engines, link, tokenDigest(secret), null, address);
  return secret;
}

/** Long enough for a transfer of a night; whoever has the link can open it again. */
const programSessionSeconds = 24 * 60 * 60;

/**
 * Opens the link for a program that a person told to, and sends a code if one is required. Returns the credential that
 * only this program has, and until when it can be used.
 */
export async function openLinkForProgram(
  engines: Pick<Engines, 'store' | 'random' | 'policy' | 'sms'>,
  link: Link,
  address?: string,
): Promise<{ readonly credential: string; readonly expiresAt: Date }> {
  const credential = makeProgramCredential(engines.random);
  const expiresAt = await openSession(engines, link, tokenDigest(credential), programSessionSeconds, address);
  return { credential, expiresAt: expiresAt as Date };
}

async function openSession(
  engines: Pick<Engines, 'store' | 'random' | 'policy' | 'sms'>,
  link: Link,
  digest: Buffer,
  programSeconds: number | null,
  address?: string,
): Promise<Date | null> {
  return engines.store.transaction(async (tx) => {
    const max = link.kind === 'receiver' ? maxSessions : maxVisits;
    const limits = { keepSeconds: keepSessionSeconds, programSeconds, maxSessions: max };
    const { isFirst, hasClosed, expiresAt } = await tx.links.open(link, digest, limits);
    if (isFirst)
      await tx.events.append(
        link.kind === 'receiver'
          ? dropEvents(link, 'opened', toReceiverData(link))
          : dropEvents(link, 'link_opened', { shared_link_id: link.position }),
      );
    // Beyond the number of browsers that a link may have, whoever has it could write as many entries as they like.
    if (!hasClosed) {
      const { accountId, dropId, position } = link;
      await tx.evidence.append([{ accountId, dropId, position, kind: 'link.opened', data: {} }]);
      const [author, addresses] = [linkAuthor(link, address), listAddresses(link)];
      const details = { dropId, position };
      await record(engines, tx, { accountId, author, action: 'link.opened', addresses, details });
    }
    if (!link.hasPassphrase) await issueCode({ ...engines, store: tx }, link, digest);
    return expiresAt;
  });
}

/** A shared link is nobody's. */
const listAddresses = ({ receiver }: Link) => (receiver === '' ? [] : [receiver]);

export const maxTries = 5;

/** Whether this is the code that was sent for this browser. Every try counts, and is counted before it is checked. */
export async function passCode(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy' | 'sms'>,
  session: LinkSession,
  typed: string,
  address?: string,
): Promise<boolean> {
  const { links } = engines.store;
  const codeId = await links.tryCode(session.digest, maxTries);
  const key = await links.key(session.link);
  if (!key) throw new ExchangeError('link_ended');
  if (codeId === undefined) return false;
  if (session.link.kind === 'named') return passAsReceiver(engines, session, { codeId, typed }, key, address);
  const linkKey = await engines.dayKeys.unwrap(key.wrapped, key.day, session.link.dropId);
  if (!isCode(linkKey, codeId, typed)) return false;
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

/** Ends this browser's session, even for someone with a copy of its cookie. Returns the link that it belonged to. */
export async function closeSession(engines: Pick<Engines, 'store'>, secret: string): Promise<Link | undefined> {
  const session = await engines.store.links.bySession(tokenDigest(secret));
  if (session) await closeFoundSession(engines, session);
  return session?.link;
}

export const closeFoundSession = ({ store }: Pick<Engines, 'store'>, { digest }: Pick<LinkSession, 'digest'>) =>
  store.links.close(digest);
