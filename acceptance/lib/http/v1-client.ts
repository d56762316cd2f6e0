import type { Account } from '../accounts.ts';
import { demo } from '../servers/running-demo.ts';
import { eventually } from '../wait.ts';

export interface V1Request {
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly json?: object;
  readonly bytes?: Buffer | AsyncIterable<Buffer>;
}

/** A thin client of /api/v1 for one account, through the demo's balancer or another server. */
export class V1Client {
  readonly #apiKey: string;
  readonly #baseUrl: string;

  constructor({ apiKey }: Pick<Account, 'apiKey'>, baseUrl = demo().base_url) {
    this.#apiKey = apiKey;
    this.#baseUrl = baseUrl;
  }

  /** The same account, through another server. */
  through(baseUrl: string): V1Client {
    return new V1Client({ apiKey: this.#apiKey }, baseUrl);
  }

  async ask(method: string, path: string, { headers, json, bytes }: V1Request = {}): Promise<Response> {
    return await fetch(`${this.#baseUrl}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(json && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json && { body: JSON.stringify(json) }),
      // Node also takes an iterable; the type is the browsers'.
      ...(bytes && { body: bytes as unknown as BodyInit, duplex: 'half' }),
    });
  }

  /**
   * For a request that has to succeed. It is sent again while the server is busy, or the same request is in flight:
   * PostgreSQL may need a moment to notice that the process that received it was killed.
   */
  async read<Shape>(method: string, path: string, request: V1Request = {}): Promise<Shape> {
    return await eventually(`${method} ${path}`, async () => {
      const response = await this.ask(method, path, request);
      if (response.ok) return (await response.json()) as Shape;
      const text = await response.text();
      if ([409, 503].includes(response.status) && response.headers.has('retry-after')) return undefined;
      throw new Error(`${method} ${path}: ${response.status} ${text}`);
    });
  }

  /** Uploads a small file in one request. Returns the id of the upload. */
  async upload(name: string, content: string | Buffer): Promise<string> {
    const headers = {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${name}"`,
    };
    const { id } = await this.read<{ id: string }>('POST', '/uploads', { headers, bytes: Buffer.from(content) });
    return id;
  }
}
