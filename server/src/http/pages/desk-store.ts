import type { Readable } from 'node:stream';
import { DataStore, type Locker, Upload as TusUpload } from '@tus/server';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { announceFile } from '../../domain/grants/announce-file.ts';
import { deskOf } from '../../domain/grants/desk.ts';
import { receiveBytes } from '../../domain/grants/receive-bytes.ts';
import { isUuid } from '../../domain/is-uuid.ts';
import type { Link, Upload, UploadWriter } from '../../domain/ports/index.ts';
import type { PageEngines } from './routes.tsx';

/** Nothing is waited for: to look at an upload is to take it over, and the writer before can change nothing any more. */
export const takingOver: Locker = { newLock: () => ({ lock: async () => undefined, unlock: async () => undefined }) };

/**
 * A contact's desk as the tus library sees it, for the length of one request. It knows no other link, and it is a writer
 * of its own: of two requests for one upload, through whichever processes, the later one continues.
 */
export class DeskStore extends DataStore {
  override readonly extensions = ['creation', 'termination'];
  readonly #engines: PageEngines;
  readonly #link: Link;
  readonly #writer: string;
  readonly #contentLength: number | undefined;

  constructor(engines: PageEngines, link: Link, contentLength?: number) {
    super();
    this.#engines = engines;
    this.#link = link;
    this.#writer = engines.random.uuid();
    this.#contentLength = contentLength;
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    const { id, size, metadata } = upload;
    if (size === undefined) throw new ExchangeError('invalid_input', 'Upload-Length says how large the file is.');
    await announceFile(this.#engines, this.#link, {
      id,
      name: metadata?.['filename'] ?? '',
      mediaType: metadata?.['filetype'] ?? 'application/octet-stream',
      sizeBytes: size,
    });
    // There is nothing to wait for.
    if (size === 0) await this.#receive(id, noBytes(), 0);
    return upload;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    const { name, mediaType, sizeBytes, receivedBytes, received } = await this.#takeOver(id);
    // Nobody resumes what looks complete: an empty file whose creation was cut off is received here.
    if (sizeBytes === 0 && !received) await this.#receive(id, noBytes(), 0);
    const metadata = { filename: name, filetype: mediaType };
    return new TusUpload({ id, size: sizeBytes, offset: receivedBytes, metadata });
  }

  override write(bytes: Readable, id: string, offset: number): Promise<number> {
    return this.#receive(id, bytes as AsyncIterable<Buffer>, offset);
  }

  override async remove(id: string): Promise<void> {
    const { accountId } = this.#link;
    const removed = isUuid(id) && (await this.#engines.store.uploads.remove(accountId, deskOf(this.#link), id));
    if (!removed) throw new ExchangeError('not_found');
  }

  async #receive(id: string, bytes: AsyncIterable<Buffer>, offset: number): Promise<number> {
    const upload = await this.#takeOver(id);
    // Another request has continued since this one looked: these bytes belong elsewhere in the file.
    if (upload.receivedBytes !== offset) throw new ExchangeError('upload_superseded');
    return receiveBytes(this.#engines, this.#link, this.#writerOf(id), upload, bytes, this.#contentLength);
  }

  #writerOf(id: string): UploadWriter {
    return { accountId: this.#link.accountId, id, writer: this.#writer };
  }

  async #takeOver(id: string): Promise<Upload & { sizeBytes: number }> {
    const { store, policy } = this.#engines;
    const upload = isUuid(id)
      ? await store.uploads.takeOver(this.#writerOf(id), deskOf(this.#link), policy.resumeSeconds)
      : undefined;
    // What has no announced size arrives in a form, and is nobody's to resume.
    if (!upload || upload.sizeBytes === null) throw new ExchangeError('not_found');
    return { ...upload, sizeBytes: upload.sizeBytes };
  }
}

async function* noBytes(): AsyncGenerator<Buffer, void, void> {}
