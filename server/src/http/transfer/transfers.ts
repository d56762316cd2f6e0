import type { FastifyReply } from 'fastify';
import { findUnusableKeys } from '../../domain/accounts/authenticate.ts';
import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { findEnding, findEndings } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import type { MemberAccess } from '../../domain/people/session-store.ts';
import { findEndedAccess } from '../../domain/people/sessions.ts';
import { toReference } from '../../domain/reference.ts';

/** The subject of a download: files of a drop, either through a receiver's link or to an account through its inbox. */
export type Sent = Pick<Link, 'accountId' | 'dropId'> & { readonly position?: number };

/**
 * Download managers open up to 16 or 32 connections for one file. More would only give one receiver a larger share of
 * this process than all others. The limit is per process: a receiver whose requests are spread over several processes
 * can have this many in each.
 */
const maxPerLink = 32;
/**
 * How often running requests are looked at. One that has just been looked at when its drop, key, session or membership
 * ends is cut by the next look, within a second.
 */
export const checkMs = 500;

interface Supervised {
  /** The files that are being downloaded, or the request through whose link files are uploaded. */
  readonly sent: Sent | undefined;
  /** Undefined for a request without a key. */
  readonly key: { readonly accountId: string; readonly keyId: string } | undefined;
  /** Undefined for a request that no member of an account makes in the app. */
  readonly access: MemberAccess | undefined;
  stop(reason: ExchangeError): void;
}

/**
 * The downloads that this process is sending, and other requests that may take long. Each ends with the drop that it
 * sends, and with the key, or the session and membership, that allows it.
 */
export class Transfers {
  readonly #engines: Pick<Engines, 'store' | 'policy'>;
  readonly #running = new Set<Supervised>();
  #downloads = 0;
  readonly #perLink = new Map<string, number>();
  #checking = false;

  constructor(engines: Pick<Engines, 'store' | 'policy'>) {
    this.#engines = engines;
  }

  get size(): number {
    return this.#downloads;
  }

  /**
   * Runs work that a key, a member's session or a link allows. The signal is aborted when it does not any more; the work
   * then rejects with the signal's reason.
   */
  async runSupervised<Result>(
    reply: FastifyReply,
    work: (ended: AbortSignal) => Promise<Result>,
    link?: Sent,
  ): Promise<Result> {
    const ended = new AbortController();
    const leave = this.#enter(reply, link, ended);
    try {
      return await work(ended.signal);
    } finally {
      leave();
    }
  }

  /**
   * Runs one download. Its signal is aborted when the client has gone (immediately if it already has), when the drop has
   * ended, and when what allows the request has. `send` reads nothing from the store after that.
   */
  async run(
    reply: FastifyReply,
    sent: Sent,
    send: (signal: AbortSignal) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const response = reply.raw;
    reply.request.dropId = sent.dropId;
    const leaveLink = this.#enterLink(sent);
    const stopped = new AbortController();
    const onClose = () => stopped.abort(new Error('the client is gone'));
    if (response.destroyed) onClose();
    else response.once('close', onClose);
    const leave = this.#enter(reply, sent, stopped);
    this.#downloads += 1;
    try {
      stopped.signal.throwIfAborted();
      return await send(stopped.signal);
    } catch (error) {
      if (stopped.signal.reason instanceof ExchangeError) throw stopped.signal.reason;
      if (!stopped.signal.aborted) throw error;
      // There is no client left to respond to.
      return reply.hijack();
    } finally {
      response.off('close', onClose);
      this.#downloads -= 1;
      leave();
      leaveLink();
    }
  }

  #enter(reply: FastifyReply, sent: Sent | undefined, stopped: AbortController): () => void {
    const { actor, member } = reply.request;
    const supervised: Supervised = {
      sent,
      key: actor && { accountId: actor.accountId, keyId: actor.key.id },
      access: member,
      stop(reason) {
        if (stopped.signal.aborted) return;
        const reference = sent && toReference(sent.dropId);
        reply.log.info({ reference, code: reason.code }, 'a request was stopped: what allowed it has ended');
        stopped.abort(reason);
        // Part of the response has been sent: only a broken connection tells the client that the rest is missing.
        if (reply.raw.headersSent) reply.raw.destroy();
      },
    };
    this.#running.add(supervised);
    this.#startChecking(reply);
    return () => this.#running.delete(supervised);
  }

  #enterLink({ accountId, dropId, position }: Sent): () => void {
    if (position === undefined) return () => undefined;
    const link = sentKey({ accountId, dropId, position });
    const count = this.#perLink.get(link) ?? 0;
    if (count >= maxPerLink) throw new ExchangeError('too_many_transfers');
    this.#perLink.set(link, count + 1);
    return () => {
      const others = (this.#perLink.get(link) ?? 1) - 1;
      if (others === 0) this.#perLink.delete(link);
      else this.#perLink.set(link, others);
    };
  }

  /** Checks all of them with one query for each kind of reason, however many there are. */
  #startChecking(reply: FastifyReply): void {
    if (this.#checking) return;
    this.#checking = true;
    const check = async () => {
      await this.#stopEnded().catch((error: unknown) =>
        // Nothing can be revoked while the database is unavailable.
        reply.log.warn({ err: error }, 'running requests could not be checked'),
      );
      this.#checking = this.#running.size > 0;
      if (this.#checking) later();
    };
    const later = () => setTimeout(() => void check(), checkMs).unref();
    later();
  }

  async #stopEnded(): Promise<void> {
    const running = [...this.#running];
    const drops = new Map(running.flatMap(({ sent }) => (sent ? [[sentKey(sent), sent]] : [])));
    const keys = new Map(running.flatMap(({ key }) => (key ? [[key.keyId, key]] : [])));
    const accesses = new Map(running.flatMap(({ access }) => (access ? [[toText(access), access]] : [])));
    const [ended, unusable, endedAccess] = await Promise.all([
      drops.size > 0 ? findEndings(this.#engines, [...drops.values()]) : [],
      keys.size > 0 ? findUnusableKeys(this.#engines, [...keys.values()]) : new Set<string>(),
      accesses.size > 0 ? findEndedAccess(this.#engines, [...accesses.values()]) : [],
    ]);
    const endings = new Map(ended.map((drop) => [sentKey(drop), drop]));
    const endedAccesses = new Set(endedAccess.map(toText));
    for (const { sent, key, access, stop } of running) {
      const ending = sent && endings.get(sentKey(sent));
      const reason = ending && findEnding(ending);
      if (reason) stop(reason);
      else if (key && unusable.has(key.keyId)) stop(new ExchangeError('unauthorized'));
      else if (access && endedAccesses.has(toText(access))) stop(new ExchangeError('sign_in_required'));
    }
  }
}

const sentKey = ({ accountId, dropId, position }: Omit<Sent, 'position'> & { readonly position?: number | null }) =>
  `${accountId}/${dropId}/${position ?? ''}`;

const toText = ({ sessionId, accountId, role }: MemberAccess) => `${sessionId}/${accountId}/${role}`;
