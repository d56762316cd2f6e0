import type { IncomingMessage } from 'node:http';
import { isWaybillError, WaybillError, type WaybillErrorCode } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { readError, unexpectedResponse } from './response.ts';
import { type Retry, type RetryPolicy, retryDelay } from './retry-policy.ts';
import type { OutgoingRequest, Transport } from './transport.ts';

export interface Call<T> {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the address of the API. */
  path: string;
  headers?: Record<string, string>;
  /** Called again for every attempt. */
  body?: () => OutgoingRequest['body'] | Promise<OutgoingRequest['body']>;
  /** Reads the response. Part of the attempt: if the response breaks off, the request is retried. */
  read: (response: IncomingMessage) => Promise<T>;
  signal?: AbortSignal | undefined;
}

/** The address of the API, and the credentials for it. */
export interface ApiAccess {
  url: URL;
  /** Undefined for requests that need none. */
  authorization: string | undefined;
  /** Gets other credentials when these are not valid any more. */
  renew?: (() => Promise<void>) | undefined;
}

/** Sends requests with credentials, retries those that may be retried, and classifies failures. */
export class HttpRequests {
  readonly retryPolicy: RetryPolicy;
  readonly runtime: Runtime;
  readonly #transport: Transport;
  readonly #access: ApiAccess;
  readonly #onRetry: ((retry: Retry) => void) | undefined;

  constructor(
    transport: Transport,
    access: ApiAccess,
    retryPolicy: RetryPolicy,
    runtime: Runtime,
    onRetry?: (retry: Retry) => void,
  ) {
    this.#transport = transport;
    this.#access = access;
    this.retryPolicy = retryPolicy;
    this.runtime = runtime;
    this.#onRetry = onRetry;
  }

  async retry<T>({ signal }: Pick<Call<T>, 'signal'>, attempt: (failures: number) => Promise<T>): Promise<T> {
    for (let failures = 0; ; ) {
      try {
        return await attempt(failures);
      } catch (error) {
        failures += 1;
        await this.waitBeforeRetry(error, failures, signal);
      }
    }
  }

  /** Waits before the next attempt; throws the error if there should be none. */
  async waitBeforeRetry(
    error: unknown,
    failures: number,
    signal: AbortSignal | undefined,
    ...passing: WaybillErrorCode[]
  ): Promise<void> {
    signal?.throwIfAborted();
    if (!isWaybillError(error)) throw error;
    const pause = retryDelay(
      this.retryPolicy,
      this.runtime,
      failures,
      error,
      error.isRetryable || passing.includes(error.code),
    );
    if (pause === undefined) throw error;
    this.#onRetry?.({ attempt: failures + 1, maxAttempts: this.retryPolicy.maxAttempts, error });
    await this.runtime.sleep(pause, signal);
  }

  async attempt<T>(call: Call<T>): Promise<T> {
    const { authorization, renew } = this.#access;
    // A request with a body may have been sent in part; the next one without a body renews the credentials.
    if (authorization === undefined || renew === undefined || call.body !== undefined) return await this.#send(call);
    try {
      return await this.#send(call);
    } catch (error) {
      if (!isWaybillError(error, 'unauthorized')) throw error;
      // Other requests may have found out at the same time.
      if (this.#access.authorization === authorization) await renew();
      return await this.#send(call);
    }
  }

  async #send<T>(call: Call<T>): Promise<T> {
    const { authorization } = this.#access;
    const body = await call.body?.();
    const response = await this.#transport.exchange({
      method: call.method,
      url: new URL(call.path, this.#access.url),
      headers: { ...(authorization === undefined ? {} : { Authorization: authorization }), ...call.headers },
      body,
      signal: call.signal,
    });
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw unexpectedResponse(response, `a redirect to ${response.headers.location ?? 'nowhere'}`);
    }
    if (status >= 400) throw nameHost(await readError(response), this.#access.url);
    return await call.read(response);
  }
}

/** The server does not repeat the host that it does not serve. */
function nameHost(error: WaybillError, { host }: URL): WaybillError {
  if (error.code !== 'wrong_host') return error;
  return new WaybillError(error.code, `The server does not serve the host name ${host}.`, error);
}
