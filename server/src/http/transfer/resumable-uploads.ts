import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { isUuid } from '../../domain/is-uuid.ts';
import { removeUpload } from '../../domain/uploads/account-upload.ts';
import { type AnnouncedFile, takeOverUpload, waitForPreviousWriter } from '../../domain/uploads/begin-upload.ts';
import { declareDigests } from '../../domain/uploads/declared-digests.ts';
import type { UploadOwner } from '../../domain/uploads/owner.ts';
import { type ReceiveNeeds, receiveBytes } from '../../domain/uploads/receive-bytes.ts';
import type { DeclaredDigests, Upload } from '../../domain/uploads/upload-store.ts';

export type ResumeNeeds = ReceiveNeeds & Pick<Engines, 'policy'>;

/** How a request may end before its response. */
export interface RequestEnds {
  /** Aborted when the client is gone: no one waits for the response, but what has arrived is stored. */
  readonly gone: AbortSignal;
  /** Aborted when the client may send no more. */
  readonly revoked?: AbortSignal | undefined;
}

/** All bytes of it have arrived. */
export type FinishedUpload = Pick<Upload, 'name' | 'mediaType' | 'receivedBytes' | 'declared'> & {
  readonly sizeBytes: number;
  readonly received: true;
};

/** A file whose bytes arrive in one request or in several. */
export type ResumableUpload = Pick<Upload, 'id' | 'name' | 'mediaType' | 'receivedBytes'> & {
  readonly sizeBytes: number;
};

export type NewUpload = AnnouncedFile & { readonly id: string; readonly sizeBytes: number };

/**
 * Uploads for the duration of one request. Each instance is a new writer: of two requests for one upload, in whichever
 * processes, the later one continues. No lock is needed: finding an upload takes it over, and the previous writer can no
 * longer change anything. Before that, it may store what it has received.
 */
export abstract class ResumableUploads {
  /** The digests that the request declares. */
  protected readonly declared: DeclaredDigests | undefined = undefined;
  /** Whether `finished` knows a file that is ready. Otherwise a sender whose response was lost would send it again. */
  protected readonly mayComplete: boolean = false;
  readonly #engines: ResumeNeeds;
  readonly #writer: string;
  readonly #contentLength: number | undefined;
  readonly #ends: RequestEnds;

  constructor(engines: ResumeNeeds, contentLength: number | undefined, ends: RequestEnds) {
    this.#engines = engines;
    this.#writer = engines.random.uuid();
    this.#contentLength = contentLength;
    this.#ends = ends;
  }

  /** The owner that the upload must have. */
  protected abstract findOwner(id: string): UploadOwner;

  /** Begins an upload. Returns its id: that of the first request, if this one repeats it. */
  protected abstract announce(file: NewUpload): Promise<string>;

  /** An upload to which nothing can be added any more. */
  protected async finished(_id: string): Promise<FinishedUpload | undefined> {
    return undefined;
  }

  async create(file: NewUpload): Promise<ResumableUpload> {
    const id = await this.announce(file);
    // There are no bytes to wait for.
    if (file.sizeBytes === 0) await this.#receive(id, noBytes(), 0);
    return { ...file, id, receivedBytes: 0 };
  }

  /** Takes the upload over from its previous writer. */
  async find(id: string): Promise<ResumableUpload> {
    const { gone, revoked } = this.#ends;
    const ends = revoked ? AbortSignal.any([gone, revoked]) : gone;
    if (isUuid(id)) await waitForPreviousWriter(this.#engines, { ...this.findOwner(id), id }, ends);
    const { name, mediaType, sizeBytes, receivedBytes, received } = await this.#takeOver(id, null);
    // A client does not resume what looks complete, so what was cut off between its last byte and its end is received here.
    if (receivedBytes === sizeBytes && !received) await this.#receive(id, noBytes(), sizeBytes);
    return { id, name, mediaType, sizeBytes, receivedBytes };
  }

  /** Adds bytes at the end of what has been received. Returns how many bytes of the file count now. */
  append(id: string, bytes: AsyncIterable<Buffer>, offset: number): Promise<number> {
    return this.#receive(id, bytes, offset);
  }

  async remove(id: string): Promise<void> {
    if (!isUuid(id)) throw new ExchangeError('not_found');
    await removeUpload(this.#engines, this.findOwner(id), id);
  }

  async #receive(id: string, bytes: AsyncIterable<Buffer>, offset: number): Promise<number> {
    const writer = { accountId: this.findOwner(id).accountId, id, writer: this.#writer };
    const found = await this.#takeOver(id, this.#writer);
    // Another request has continued since this one looked, so these bytes belong elsewhere in the file.
    if (found.receivedBytes !== offset) throw new ExchangeError('upload_superseded');
    const declared = this.declared && (await declareDigests(this.#engines, writer, found, this.declared));
    const upload = declared ? { ...found, declared } : found;
    const request = { expectedBytes: this.#contentLength, mayComplete: this.mayComplete, revoked: this.#ends.revoked };
    return receiveBytes(this.#engines, this.findOwner(id), writer, upload, bytes, request);
  }

  async #takeOver(
    id: string,
    writer: string | null,
  ): Promise<(Upload & { readonly sizeBytes: number }) | FinishedUpload> {
    if (!isUuid(id)) throw new ExchangeError('not_found');
    const { accountId, draft } = this.findOwner(id);
    const upload = await takeOverUpload(
      this.#engines,
      { accountId, id, writer },
      draft,
      this.#engines.policy.resumeSeconds,
    );
    // An upload without an announced size arrives in a single request and cannot be resumed.
    if (upload && upload.sizeBytes !== null) return { ...upload, sizeBytes: upload.sizeBytes };
    const finished = await this.finished(id);
    if (!finished) throw new ExchangeError('not_found');
    return finished;
  }
}

async function* noBytes(): AsyncGenerator<Buffer, void, void> {}
