import type { IncomingMessage } from 'node:http';
import { bytesOf, failureOf, unexpected } from './answer.ts';
import { TokenKeeper, tokenIn } from './csrf-token.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import { jitter, type Patience, pauseBefore } from './patience.ts';
import type { Surroundings } from './surroundings.ts';
import type { Outgoing, Transport } from './transport.ts';

/** A token can be lost many times in a row if more clients share an account than it may have tokens. */
const maxRenewals = 40;

export interface Call<T> {
  method: 'GET' | 'HEAD' | 'POST';
  /** Below the account's own path. */
  path: string;
  headers?: Record<string, string>;
  /** Called again for every attempt. */
  body?: () => Outgoing['body'] | Promise<Outgoing['body']>;
  /** Headers that are known only once the body is. */
  bodyHeaders?: () => Record<string, string>;
  /** Whether the body can be made again. */
  repeatable?: () => boolean;
  /** Reads the answer. Part of the attempt: if the answer breaks off, the request is repeated. */
  read: (answer: IncomingMessage) => Promise<T>;
  signal?: AbortSignal | undefined;
}

/** Sends the requests of one account: adds credentials and token, repeats what may be repeated, and classifies failures. */
export class Caller {
  readonly #transport: Transport;
  readonly #accountUrl: URL;
  readonly #authorization: string;
  readonly #patience: Patience;
  readonly #surroundings: Surroundings;
  readonly #tokens: TokenKeeper;

  constructor(
    transport: Transport,
    account: { url: URL; authorization: string },
    patience: Patience,
    surroundings: Surroundings,
  ) {
    this.#transport = transport;
    this.#accountUrl = account.url;
    this.#authorization = account.authorization;
    this.#patience = patience;
    this.#surroundings = surroundings;
    this.#tokens = new TokenKeeper(() => this.#fetchToken());
  }

  /** Every operation of the API can be repeated safely: uploads replace, and a dispatch carries a key. */
  async call<T>(call: Call<T>): Promise<T> {
    let renewals = 0;
    return await this.#patiently(call.signal, call.repeatable, async () => {
      for (;;) {
        const token = await this.#tokens.token(call.signal);
        try {
          return await this.#attempt(call, { 'CSRF-Token': token });
        } catch (error) {
          if (!isWaybillError(error, 'csrf_rejected') || call.repeatable?.() === false) throw error;
          this.#tokens.reject(token);
          renewals += 1;
          if (renewals >= maxRenewals) throw error;
          // One renewal is normal. After that, others are pushing our token out, and haste makes it worse.
          if (renewals > 1) await this.#sleep(jitter(this.#patience, this.#surroundings, renewals - 1), call.signal);
        }
      }
    });
  }

  async #patiently<T>(
    signal: AbortSignal | undefined,
    repeatable: (() => boolean) | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        if (!isWaybillError(error) || repeatable?.() === false) throw error;
        const pause = pauseBefore(this.#patience, this.#surroundings, failures, error);
        if (pause === undefined) throw error;
        await this.#sleep(pause, signal);
      }
    }
  }

  #sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return this.#surroundings.sleep(milliseconds, signal);
  }

  async #attempt<T>(call: Call<T>, more: Record<string, string>): Promise<T> {
    const body = await call.body?.();
    const answer = await this.#transport.exchange({
      method: call.method,
      url: new URL(call.path, this.#accountUrl),
      headers: { Authorization: this.#authorization, ...more, ...call.headers, ...call.bodyHeaders?.() },
      body,
      signal: call.signal,
    });
    const status = answer.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      answer.destroy();
      throw unexpected(answer, `a redirect to ${answer.headers.location ?? 'nowhere'}`);
    }
    if (status >= 400) throw await failureOf(answer);
    return await call.read(answer);
  }

  /** spec 4, rule 1. Shared by all callers: no single one aborts it, and each repeats its own request if it fails. */
  async #fetchToken(): Promise<string> {
    const read = async (answer: IncomingMessage) => {
      const token = tokenIn((await bytesOf(answer)).toString('utf8'));
      // It goes into a header.
      if (token !== undefined && /^[\x21-\x7e]{1,1024}$/.test(token)) return token;
      throw new WaybillError(
        'unexpected_answer',
        'The account’s page has no field "csrftoken". It may not be a Waybill server.',
        { status: answer.statusCode },
      );
    };
    return await this.#attempt({ method: 'GET', path: '', read }, {});
  }
}
