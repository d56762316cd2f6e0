import { createHash, randomUUID } from 'node:crypto';
import type { NewDrop, Upload } from '../generated/wire.ts';
import { chunkBytes } from '../transfer/sources.ts';
import { account } from './example-server.ts';
import { type ReceivedRequest, refuse, succeed, WireServer } from './wire-server.ts';

type FakeResponse = { value: unknown; headers?: Record<string, string> };

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly errors: unknown[];

  constructor(status: number, code: string, errors: unknown[] = []) {
    super(code);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

export interface Stored {
  path: string;
  size: number;
  bytes: Buffer;
}

/** An in-memory server for uploads and drops that follows docs/api-v1.md. */
export class FakeExchange implements AsyncDisposable {
  readonly uploads = new Map<string, Stored>();
  readonly drops: { request: NewDrop; files: string[]; contents: string[] }[] = [];
  /** The stored parts of uploads, in the order of the requests. */
  readonly received: { path: string; offset: number; bytes: number }[] = [];
  /**
   * Decides the fate of a request: it succeeds, its response is lost, all but its first chunk is lost, or all of it is
   * lost.
   */
  fate: (seen: ReceivedRequest) => 'responded' | 'response lost' | 'cut off' | 'not arrived' = () => 'responded';
  /** Refuses a request. */
  refuse: (seen: ReceivedRequest) => { status: number; code: string } | undefined = () => undefined;
  refusal: Upload['refusal'] = null;
  account: unknown = account;
  dailyLimitReached = false;
  /** The code with which the key is refused when a drop is created. */
  refusedKey: 'network_not_allowed' | 'scope_missing' | undefined;
  /** The states of the receivers of every drop, and pages of events, of which the last one is repeated. */
  receiverStates: string[] = ['opened'];
  onEvents: (query: URLSearchParams) => unknown[] = () => [];
  server!: WireServer;
  readonly #responses = new Map<string, { digest: string; response: FakeResponse }>();

  static async start(): Promise<FakeExchange> {
    const exchange = new FakeExchange();
    exchange.server = await WireServer.start((seen, response, request) => {
      const fate = exchange.fate(seen);
      try {
        const refused = exchange.refuse(seen);
        if (refused) throw new Refusal(refused.status, refused.code);
        const arrived = fate === 'cut off' ? { ...seen, body: seen.body.subarray(0, chunkBytes) } : seen;
        const { value, headers } = fate === 'not arrived' ? { value: undefined } : exchange.#handleOnce(arrived);
        if (fate !== 'responded') request.socket.destroy();
        else succeed(response, value, headers);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refuse(response, error.status, error.code, { errors: error.errors });
      }
    });
    return exchange;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  /** Carries out a request with an idempotency key once. */
  #handleOnce(seen: ReceivedRequest): FakeResponse {
    const { method, path, headers, body } = seen;
    const key = headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return this.#handle(seen);
    const announced = [headers['upload-length'], headers['upload-metadata'], headers['content-disposition']];
    const digest = createHash('sha256')
      .update(JSON.stringify([path, announced]))
      .update(body)
      .digest('hex');
    const earlier = this.#responses.get(key);
    if (earlier && earlier.digest !== digest) throw new Refusal(422, 'idempotency_key_reused');
    if (earlier) return earlier.response;
    const response = this.#handle(seen);
    this.#responses.set(key, { digest, response });
    return response;
  }

  #handle({ method, path, headers, body }: ReceivedRequest): FakeResponse {
    const [, id = ''] = path.split('/');
    const upload = this.uploads.get(id);
    if (method === 'POST' && path === 'uploads')
      return headers['tus-resumable'] ? this.#createUpload(headers) : this.#uploadWhole(headers, body);
    if (path === 'account') return { value: this.account };
    if (path === 'drops/check') return this.#checkDrop(JSON.parse(body.toString()) as NewDrop);
    if (method === 'POST' && path === 'drops' && this.refusedKey) throw new Refusal(403, this.refusedKey);
    if (method === 'POST' && path === 'drops') return this.#createDrop(JSON.parse(body.toString()) as NewDrop);
    if (path.startsWith('events?')) {
      return { value: { data: this.onEvents(new URLSearchParams(path.slice(7))), next_cursor: 'c', has_more: false } };
    }
    if (path.startsWith('drops/')) {
      return {
        value: {
          id,
          state: 'live',
          expires_at: '2030-01-31T12:00:00.000Z',
          receivers: this.receiverStates.map((state) => ({ state })),
        },
      };
    }
    if (!upload) throw new Refusal(404, 'not_found');
    if (method === 'HEAD') return { value: undefined, headers: { 'Upload-Offset': String(upload.bytes.length) } };
    if (method === 'GET') return { value: this.#toUpload(id, upload) };
    if (method === 'DELETE') return { value: this.uploads.delete(id) };
    if (Number(headers['upload-offset']) !== upload.bytes.length) throw new Refusal(409, 'upload_superseded');
    return this.#append(upload, body);
  }

  #createUpload(headers: ReceivedRequest['headers']): FakeResponse {
    const fields = String(headers['upload-metadata'])
      .split(',')
      .map((field) => field.split(' '));
    const path = Buffer.from(fields.find(([name]) => name === 'path')?.[1] ?? '', 'base64').toString();
    const id = randomUUID();
    this.uploads.set(id, { path, size: Number(headers['upload-length']), bytes: Buffer.alloc(0) });
    return { value: undefined, headers: { Location: `/api/v1/uploads/${id}` } };
  }

  #uploadWhole(headers: ReceivedRequest['headers'], body: Buffer): FakeResponse {
    const digest = createHash('sha256').update(body).digest('base64');
    if (headers['repr-digest'] !== `sha-256=:${digest}:`) throw new Refusal(422, 'digest_mismatch');
    if (this.refusal) throw new Refusal(422, this.refusal);
    const path = decodeURIComponent(
      String(headers['content-disposition']).replace("attachment; filename*=UTF-8''", ''),
    );
    const id = randomUUID();
    const upload = { path, size: body.length, bytes: Buffer.alloc(0) };
    this.uploads.set(id, upload);
    this.#append(upload, body);
    return { value: this.#toUpload(id, upload) };
  }

  #append(upload: Stored, body: Buffer): FakeResponse {
    this.received.push({ path: upload.path, offset: upload.bytes.length, bytes: body.length });
    upload.bytes = Buffer.concat([upload.bytes, body]);
    return { value: undefined, headers: { 'Upload-Offset': String(upload.bytes.length) } };
  }

  #checkDrop({ receivers, expires_in: expiresIn = 604_800 }: NewDrop): FakeResponse {
    const errors = receivers.flatMap(({ email }, index) =>
      email.endsWith('.invalid')
        ? [{ pointer: `/receivers/${index}/email`, code: 'recipient_not_allowed', detail: `${email} is not allowed.` }]
        : [],
    );
    if (this.dailyLimitReached) throw new Refusal(429, 'daily_limit');
    if (errors.length > 0) throw new Refusal(403, 'recipient_not_allowed', errors);
    return {
      value: { receiver_count: receivers.length, file_count: 0, size: 0, expires_in: expiresIn },
    };
  }

  #createDrop(request: NewDrop): FakeResponse {
    const missing = request.uploads.flatMap((id, index) =>
      this.uploads.has(id) ? [] : [{ pointer: `/uploads/${index}`, code: 'not_found', detail: 'It is not there.' }],
    );
    if (missing.length > 0) throw new Refusal(404, 'not_found', missing);
    const files = request.uploads.map((id) => this.uploads.get(id) as Stored);
    this.drops.push({
      request,
      files: files.map(({ path }) => path),
      contents: files.map(({ bytes }) => bytes.toString()),
    });
    for (const id of request.uploads) this.uploads.delete(id);
    const receivers = request.receivers.map(({ email }, id) => ({
      id,
      email,
      ...(request.notify === false ? { link: `https://files.example.org/d/${id}` } : {}),
    }));
    const reference = `WB-0000-000${this.drops.length}`;
    const expires = {
      created_at: '2030-01-24T12:00:00.000Z',
      expires_at: '2030-01-31T12:00:00.000Z',
      notify: request.notify ?? true,
    };
    return { value: { id: randomUUID(), reference, ...expires, receivers } };
  }

  #toUpload(id: string, { path, size, bytes }: Stored): Partial<Upload> {
    const arrived = bytes.length === size;
    const state = !arrived ? 'uploading' : this.refusal ? 'refused' : 'ready';
    const sha256 = arrived ? createHash('sha256').update(bytes).digest('hex') : null;
    return {
      id,
      path,
      state,
      size,
      received: bytes.length,
      sha256,
      scan: arrived ? 'clean' : null,
      unscanned_reason: null,
      refusal: this.refusal,
    };
  }
}
