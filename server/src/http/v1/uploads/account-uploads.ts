import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../../domain/actor.ts';
import { respondOnce } from '../../../domain/idempotency/respond-once.ts';
import { uploadOwner } from '../../../domain/uploads/account-upload.ts';
import { announceUpload } from '../../../domain/uploads/announce-upload.ts';
import type { AnnouncedFile } from '../../../domain/uploads/begin-upload.ts';
import type { UploadOwner } from '../../../domain/uploads/owner.ts';
import type { DeclaredDigests } from '../../../domain/uploads/upload-store.ts';
import { readUnquotedIdempotencyKey } from '../../shared/idempotency-key.ts';
import {
  type FinishedUpload,
  type NewUpload,
  type RequestEnds,
  type ResumableUpload,
  ResumableUploads,
} from '../../shared/resumable-uploads.ts';
import { readContentLength } from '../../shared/tus.ts';
import type { V1Engines } from '../route.ts';
import { readReprDigest } from './repr-digest.ts';

/** The uploads of one account, for one request. */
export class AccountUploads extends ResumableUploads {
  protected override readonly mayComplete = true;
  protected override readonly declared: DeclaredDigests | undefined;
  readonly #engines: V1Engines;
  readonly #caller: Actor;
  readonly #idempotencyKey: string | undefined;
  /** The upload of the first request, if this one repeats it. */
  #repeated: NewUpload | undefined;

  constructor(engines: V1Engines, caller: Actor, request: FastifyRequest, ends: RequestEnds) {
    super(engines, readContentLength(request), ends);
    this.#engines = engines;
    this.#caller = caller;
    this.declared = readReprDigest(request.headers['repr-digest']);
    this.#idempotencyKey = readUnquotedIdempotencyKey(request);
  }

  override async create(file: NewUpload): Promise<ResumableUpload> {
    const created = await super.create(file);
    return this.#repeated ? await this.find(created.id) : created;
  }

  override async append(id: string, bytes: AsyncIterable<Buffer>, offset: number): Promise<number> {
    if (!this.#repeated) return await super.append(id, bytes, offset);
    // The response to a repeated creation says how many bytes have arrived; the caller continues there.
    for await (const piece of bytes) void piece;
    return offset;
  }

  protected override findOwner(id: string): UploadOwner {
    return uploadOwner(this.#caller, id);
  }

  protected override async announce(announced: NewUpload): Promise<string> {
    const file = { ...announced, declared: this.declared };
    const { store } = this.#engines;
    let { id } = announced;
    await announceUpload(this.#engines, this.#caller, file, async (begin) => {
      if (this.#idempotencyKey === undefined) return await store.transaction(begin);
      const request = { api: 'v1', idempotencyKey: this.#idempotencyKey, digest: digestFile(file) } as const;
      const { body, isRepeated } = await respondOnce(this.#engines, this.#caller, request, async (tx) => {
        await begin(tx);
        return { status: 201, headers: {}, body: id };
      });
      id = body;
      if (isRepeated) this.#repeated = announced;
    });
    return id;
  }

  protected override async finished(id: string): Promise<FinishedUpload | undefined> {
    const [upload] = await this.#engines.store.uploads.ofAccount(this.#caller.accountId, [id]);
    // A repeated creation gets the first response, even if the upload has been sent since.
    const found = upload ?? this.#repeated;
    if (!found) return undefined;
    const { name, mediaType, sizeBytes } = found;
    const declared = { sha256: upload?.sha256 ?? null, sha512: null };
    return { name, mediaType, sizeBytes, receivedBytes: sizeBytes, received: true, declared };
  }
}

function digestFile({ name, path, mediaType, sizeBytes, declared }: AnnouncedFile): Buffer {
  const digests = [declared?.sha256, declared?.sha512].map((digest) => digest?.toString('hex') ?? null);
  return createHash('sha256')
    .update(JSON.stringify(['upload', name, path ?? null, mediaType, sizeBytes, ...digests]))
    .digest();
}
