import type { IncomingMessage } from 'node:http';
import { isWaybillError, type WaybillErrorCode } from '../errors.ts';
import type { Surroundings } from '../runtime.ts';
import { failureOf, unexpected } from './response.ts';
import { type Patience, pauseBefore } from './retry-policy.ts';
import type { Outgoing, Transport } from './transport.ts';

export interface Call<T> {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the address of the API. */
  path: string;
  headers?: Record<string, string>;
  /** Called again for every attempt. */
  body?: () => Outgoing['body'] | Promise<Outgoing['body']>;
  /** Reads the answer. Part of the attempt: if the answer breaks off, the request is repeated. */
  read: (answer: IncomingMessage) => Promise<T>;
  signal?: AbortSignal | undefined;
}

/** Where an API is, and what opens it. */
export interface Door {
  url: URL;
  authorization: string;
}

/** Sends requests with credentials, repeats what may be repeated, and classifies failures. */
export class HttpRequests {
  readonly patience: Patience;
  readonly surroundings: Surroundings;
  readonly #transport: Transport;
  readonly #door: Door;

  constructor(transport: Transport, door: Door, patience: Patience, surroundings: Surroundings) {
    this.#transport = transport;
    this.#door = door;
    this.patience = patience;
    this.surroundings = surroundings;
  }

  async patiently<T>({ signal }: Pick<Call<T>, 'signal'>, attempt: (failures: number) => Promise<T>): Promise<T> {
    for (let failures = 0; ; ) {
      try {
        return await attempt(failures);
      } catch (error) {
        failures += 1;
        await this.waitAfter(error, failures, signal);
      }
    }
  }

  /** Waits before what failed so often is tried again; throws the error if it should not be. */
  async waitAfter(
    error: unknown,
    failures: number,
    signal: AbortSignal | undefined,
    ...passing: WaybillErrorCode[]
  ): Promise<void> {
    signal?.throwIfAborted();
    if (!isWaybillError(error)) throw error;
    const pause = pauseBefore(
      this.patience,
      this.surroundings,
      failures,
      error,
      error.mayPass || passing.includes(error.code),
    );
    if (pause === undefined) throw error;
    await this.surroundings.sleep(pause, signal);
  }

  async attempt<T>(call: Call<T>): Promise<T> {
    const body = await call.body?.();
    const answer = await this.#transport.exchange({
      method: call.method,
      url: new URL(call.path, this.#door.url),
      headers: { Authorization: this.#door.authorization, ...call.headers },
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
}
