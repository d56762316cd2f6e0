import type { IncomingMessage } from 'node:http';
import type { CallOptions, PostOptions } from '../call-options.ts';
import { isWaybillError } from '../errors.ts';
import type { Call, HttpRequests } from './http-requests.ts';
import { bytesOf, jsonOf } from './response.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a page of a list may have at most. */
const pageSize = 100;

/** Calls /api/v1. */
export class Caller {
  readonly #requests: HttpRequests;

  constructor(requests: HttpRequests) {
    this.#requests = requests;
  }

  /** A call that may be repeated as it is. */
  async call<T>(call: Call<T>): Promise<T> {
    return await this.#requests.patiently(call, () => this.#requests.attempt(call));
  }

  /** A call that its caller repeats. */
  async attempt<T>(call: Call<T>): Promise<T> {
    return await this.#requests.attempt(call);
  }

  async waitAfter(...failure: Parameters<HttpRequests['waitAfter']>): Promise<void> {
    await this.#requests.waitAfter(...failure);
  }

  async sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#requests.surroundings.sleep(milliseconds, signal);
  }

  newKey(): string {
    return this.#requests.surroundings.uuid();
  }

  async get<T>(path: string, query: Query, { signal }: CallOptions): Promise<T> {
    return await this.call({ method: 'GET', path: withQuery(path, query), signal, read: jsonOf<T> });
  }

  /** All entries of a list that is answered page by page. One page is in memory at a time. */
  async *list<T>(path: string, query: Query, options: CallOptions): AsyncGenerator<T, void, void> {
    let cursor: string | undefined;
    do {
      const asked = { limit: pageSize, ...query, cursor };
      const page = await this.get<{ data: T[]; next_cursor: string | null }>(path, asked, options);
      yield* page.data;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** The key is made once, so that the repetition of a request whose answer was lost is recognised. */
  async post<T>(path: string, body: unknown, { signal, idempotencyKey }: PostOptions): Promise<T> {
    const key = idempotencyKey ?? this.newKey();
    const { headers, ...bytes } = withBody(body);
    const keyed = { ...headers, 'Idempotency-Key': key };
    return await this.call({ ...bytes, method: 'POST', path, headers: keyed, signal, read: contentOf<T> });
  }

  async patch<T>(path: string, body: unknown, { signal }: CallOptions): Promise<T> {
    return await this.call({ ...withBody(body), method: 'PATCH', path, signal, read: contentOf<T> });
  }

  async put<T>(path: string, body: unknown, { signal }: CallOptions): Promise<T> {
    return await this.call({ ...withBody(body), method: 'PUT', path, signal, read: contentOf<T> });
  }

  /** Undefined if the answer is empty, or was lost. */
  async delete<T = never>(path: string, { signal }: CallOptions): Promise<T | undefined> {
    return await this.#requests.patiently({ signal }, async (failures) => {
      try {
        return await this.#requests.attempt<T>({ method: 'DELETE', path, signal, read: contentOf });
      } catch (error) {
        // An attempt whose answer was lost has removed it.
        if (failures === 0 || !isWaybillError(error, 'not_found')) throw error;
        return undefined;
      }
    });
  }
}

/** The path of one thing of a collection, or of what can be done with it. */
export function pathTo(collection: string, id: string, action?: string): string {
  return [collection, encodeURIComponent(id), ...(action === undefined ? [] : [action])].join('/');
}

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

function withBody(body: unknown): Pick<Call<never>, 'headers' | 'body'> {
  if (body === undefined) return {};
  const bytes = Buffer.from(JSON.stringify(body));
  return { headers: { 'Content-Type': 'application/json' }, body: () => bytes };
}

/** An answer without a body is undefined. */
async function contentOf<T>(answer: IncomingMessage): Promise<T> {
  if (answer.headers['content-type'] !== undefined) return await jsonOf<T>(answer);
  await bytesOf(answer);
  return undefined as T;
}
