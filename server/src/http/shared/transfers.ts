import type { FastifyReply } from 'fastify';
import { referenceOf } from '../../domain/drops/reference.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { endingOf } from '../../domain/links/find-link.ts';
import type { Engines, Link } from '../../domain/ports/index.ts';

/** What is sent: files of a drop, either through a receiver's link or to an account through its inbox. */
export type Sent = Pick<Link, 'accountId' | 'dropId'> & { readonly position?: number };

/**
 * Download managers open up to 16 or 32 connections for one file. More would only give one receiver a larger share of
 * this process than all others. The limit is per process: a receiver whose requests are spread over several processes
 * can have this many in each.
 */
const maxPerLink = 32;
const retryAfterSeconds = 5;
/** How long a download may continue after its drop was revoked or its deadline passed. */
const checkMs = 2_000;

interface Transfer {
  readonly key: string;
  readonly sent: Sent;
  stop(reason: ExchangeError): void;
}

/** The downloads that this process is sending. */
export class Transfers {
  readonly #engines: Pick<Engines, 'store'>;
  readonly #running = new Set<Transfer>();
  readonly #perLink = new Map<string, number>();
  #checking = false;

  constructor(engines: Pick<Engines, 'store'>) {
    this.#engines = engines;
  }

  get size(): number {
    return this.#running.size;
  }

  /**
   * Runs one transfer. Its signal is aborted when the client has gone (immediately if it already has), and when the
   * drop has ended. `send` reads nothing from the store after that.
   */
  async run(
    reply: FastifyReply,
    sent: Sent,
    send: (signal: AbortSignal) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const response = reply.raw;
    reply.request.dropId = sent.dropId;
    const leave = this.#enterLink(sent);
    const stopped = new AbortController();
    const onClose = () => stopped.abort(new Error('the client is gone'));
    if (response.destroyed) onClose();
    else response.once('close', onClose);
    const transfer: Transfer = {
      key: sentKey(sent),
      sent,
      stop(reason) {
        reply.log.info({ reference: referenceOf(sent.dropId), code: reason.code }, 'a download was stopped');
        stopped.abort(reason);
        // Part of the file has been sent: only a broken connection tells the client that the rest is missing.
        if (response.headersSent) response.destroy();
      },
    };
    this.#running.add(transfer);
    this.#startChecking(reply);
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
      this.#running.delete(transfer);
      leave();
    }
  }

  #enterLink({ accountId, dropId, position }: Sent): () => void {
    if (position === undefined) return () => undefined;
    const link = sentKey({ accountId, dropId, position });
    const count = this.#perLink.get(link) ?? 0;
    if (count >= maxPerLink) throw new ExchangeError('too_many_transfers', undefined, { retryAfterSeconds });
    this.#perLink.set(link, count + 1);
    return () => {
      const others = (this.#perLink.get(link) ?? 1) - 1;
      if (others === 0) this.#perLink.delete(link);
      else this.#perLink.set(link, others);
    };
  }

  /** One query for all transfers at once, however many there are. */
  #startChecking(reply: FastifyReply): void {
    if (this.#checking) return;
    this.#checking = true;
    const check = async () => {
      await this.#stopEnded().catch((error: unknown) =>
        // While the database is unavailable, no drop can be revoked there either.
        reply.log.warn({ err: error }, 'running downloads could not be checked'),
      );
      this.#checking = this.#running.size > 0;
      if (this.#checking) later();
    };
    const later = () => setTimeout(() => void check(), checkMs).unref();
    later();
  }

  async #stopEnded(): Promise<void> {
    const running = [...this.#running];
    if (running.length === 0) return;
    const drops = new Map(running.map(({ key, sent }) => [key, sent]));
    const endings = new Map(
      (await this.#engines.store.links.endings([...drops.values()])).map((drop) => [sentKey(drop), drop]),
    );
    for (const transfer of running) {
      const ending = endings.get(transfer.key);
      const reason = ending && endingOf(ending);
      if (reason) transfer.stop(reason);
    }
  }
}

const sentKey = ({ accountId, dropId, position }: Omit<Sent, 'position'> & { readonly position?: number | null }) =>
  `${accountId}/${dropId}/${position ?? ''}`;
