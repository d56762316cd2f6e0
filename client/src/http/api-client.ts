import type { IncomingMessage } from 'node:http';
import type { CallOptions, PostOptions } from '../call-options.ts';
import { isWaybillError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { Call, HttpRequests } from './http-requests.ts';
import { readBytes, readJson } from './response.ts';

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The maximum that the server allows. */
const pageSize = 100;

/** Calls /api/v1. */
export class ApiClient {
  readonly #requests: HttpRequests;

  constructor(requests: HttpRequests) {
    this.#requests = requests;
  }

  /** Sends a request, and retries it. */
  async call<T>(call: Call<T>): Promise<T> {
    return await this.#requests.retry(call, () => this.#requests.attempt(call));
  }

  /** Sends a request once, for callers that retry by themselves. */
  async attempt<T>(call: Call<T>): Promise<T> {
    return await this.#requests.attempt(call);
  }

  get runtime(): Runtime {
    return this.#requests.runtime;
  }

  async waitBeforeRetry(...failure: Parameters<HttpRequests['waitBeforeRetry']>): Promise<void> {
    await this.#requests.waitBeforeRetry(...failure);
  }

  async sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#requests.runtime.sleep(milliseconds, signal);
  }

  generateKey(): string {
    return this.#requests.runtime.uuid();
  }

  async get<T>(path: string, query: Query, { signal }: CallOptions): Promise<T> {
    return await this.read(path, query, { signal }, readJson<T>);
  }

  /** Reads a response that is not JSON; `read` is called again if the request is repeated. */
  async read<T>(path: string, query: Query, { signal }: CallOptions, read: Call<T>['read']): Promise<T> {
    return await this.call({ method: 'GET', path: addQuery(path, query), signal, read });
  }

  /** Opens a response that is read while it arrives; the caller has to read it to the end, or destroy it. */
  async open(path: string, query: Query, { signal }: CallOptions): Promise<IncomingMessage> {
    return await this.attempt({
      method: 'GET',
      path: addQuery(path, query),
      signal,
      read: async (response) => response,
    });
  }

  /** Yields all entries of a list. One page is in memory at a time. */
  async *list<T>(path: string, query: Query, options: CallOptions): AsyncGenerator<T, void, void> {
    let cursor: string | undefined;
    do {
      const pageQuery = { limit: pageSize, ...query, cursor };
      const page = await this.get<{ data: T[]; next_cursor: string | null }>(path, pageQuery, options);
      yield* page.data;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Uses one idempotency key for all attempts, so that a request is carried out once even if its response is lost. */
  async post<T>(path: string, body: unknown, { signal, idempotencyKey }: PostOptions): Promise<T> {
    const key = idempotencyKey ?? this.generateKey();
    const { headers, ...bytes } = toBody(body);
    const keyed = { ...headers, 'Idempotency-Key': key };
    return await this.call({ ...bytes, method: 'POST', path, headers: keyed, signal, read: readContent<T> });
  }

  async patch<T>(path: string, body: unknown, { signal }: CallOptions): Promise<T> {
    return await this.call({ ...toBody(body), method: 'PATCH', path, signal, read: readContent<T> });
  }

  async put<T>(path: string, body: unknown, { signal }: CallOptions): Promise<T> {
    return await this.call({ ...toBody(body), method: 'PUT', path, signal, read: readContent<T> });
  }

  /** Returns undefined if the response is empty or was lost. */
  async delete<T = never>(path: string, { signal }: CallOptions): Promise<T | undefined> {
    return await this.#requests.retry({ signal }, async (failures) => {
      try {
        return await this.#requests.attempt<T>({ method: 'DELETE', path, signal, read: readContent });
      } catch (error) {
        // An earlier attempt, whose response was lost, has deleted it.
        if (failures === 0 || !isWaybillError(error, 'not_found')) throw error;
        return undefined;
      }
    });
  }
}

/** Returns the path of a member of a collection, or of an action on it. */
export function toPath(collection: string, id: string, action?: string): string {
  return [collection, encodeURIComponent(id), ...(action === undefined ? [] : [action])].join('/');
}

function addQuery(path: string, query: Query): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each) => [name, String(each)]),
  );
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters).toString()}`;
}

function toBody(body: unknown): Pick<Call<never>, 'headers' | 'body'> {
  if (body === undefined) return {};
  const bytes = Buffer.from(JSON.stringify(body));
  return { headers: { 'Content-Type': 'application/json' }, body: () => bytes };
}

/** Returns undefined for a response without a body. */
async function readContent<T>(response: IncomingMessage): Promise<T> {
  if (response.headers['content-type'] !== undefined) return await readJson<T>(response);
  await readBytes(response);
  return undefined as T;
}
