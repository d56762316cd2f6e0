import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import { respondOnce } from '../../domain/idempotency/respond-once.ts';
import { announceUpload, findUploads, uploadOwner } from '../../domain/uploads/account-upload.ts';
import type { AnnouncedFile } from '../../domain/uploads/begin-upload.ts';
import { findFileSizeLimit } from '../../domain/uploads/find-file-size-limit.ts';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import type { DeclaredDigests } from '../../domain/uploads/upload-store.ts';
import { readUnquotedIdempotencyKey } from '../shared/idempotency-key.ts';
import type { UploadNeeds } from './receive-files.ts';
import { readReprDigest } from './repr-digest.ts';
import {
  type FinishedUpload,
  type NewUpload,
  type RequestEnds,
  type ResumableUpload,
  ResumableUploads,
} from './resumable-uploads.ts';
import { handleTus, readContentLength, whenGone } from './tus.ts';

export type AccountUploadNeeds = UploadNeeds & Pick<Engines, 'policy' | 'checkpoint'> & { readonly pepper: Buffer };

/** The uploads of one account, for one request. */
class AccountUploads extends ResumableUploads {
  protected override readonly mayComplete = true;
  protected override readonly declared: DeclaredDigests | undefined;
  readonly #engines: AccountUploadNeeds;
  readonly #caller: Actor;
  readonly #idempotencyKey: string | undefined;
  /** The upload of the first request, if this one repeats it. */
  #repeated: NewUpload | undefined;

  constructor(engines: AccountUploadNeeds, caller: Actor, request: FastifyRequest, ends: RequestEnds) {
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
    let { id } = announced;
    await announceUpload(this.#engines, this.#caller, file, async (begin) => {
      const idempotencyKey = this.#idempotencyKey;
      const request =
        idempotencyKey === undefined ? undefined : ({ api: 'v1', idempotencyKey, digest: digestFile(file) } as const);
      const { body, isRepeated } = await respondOnce(this.#engines, this.#caller, request, async (within) => {
        await begin(within);
        return { status: 201, headers: {}, body: id };
      });
      id = body;
      if (isRepeated) this.#repeated = announced;
    });
    return id;
  }

  protected override async finished(id: string): Promise<FinishedUpload | undefined> {
    const [upload] = await findUploads(this.#engines, this.#caller, [id]);
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

/** Responds by the tus protocol for the uploads of an account, which are below `path`. */
export async function handleAccountTus(
  engines: AccountUploadNeeds,
  caller: Actor,
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  revoked: AbortSignal,
): Promise<FastifyReply> {
  const { random, policy } = engines;
  const accountPolicy = await readPolicy(engines, caller.accountId);
  const { bytes: maxFileBytes } = findFileSizeLimit({ ...engines, policy: accountPolicy });
  const uploads = new AccountUploads(engines, caller, request, { gone: whenGone(reply), revoked });
  return handleTus(request, reply, { path, uploads, maxFileBytes, random, resumeSeconds: policy.resumeSeconds });
}
