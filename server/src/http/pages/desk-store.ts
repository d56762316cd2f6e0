import type { Readable } from 'node:stream';
import { DataStore, type Locker, Upload } from '@tus/server';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { beginUpload } from '../../domain/grants/begin-upload.ts';
import { deskOf } from '../../domain/grants/desk.ts';
import { receiveBytes } from '../../domain/grants/receive-bytes.ts';
import { isUuid } from '../../domain/is-uuid.ts';
import type { Link, ResumableUpload } from '../../domain/ports.ts';
import type { PageEngines } from './routes.tsx';

/** Nothing is waited for: to look at an upload is to take it over, and whoever had it can change nothing from then on. */
export const takingOver: Locker = { newLock: () => ({ lock: async () => undefined, unlock: async () => undefined }) };

/**
 * A contact's desk as the tus library sees it, for the length of one request. It knows no other link, and it is a writer
 * of its own: of two requests for one upload, through whichever processes, the later one goes on.
 */
export class DeskStore extends DataStore {
  override readonly extensions = ['creation', 'termination'];
  readonly #engines: PageEngines;
  readonly #link: Link;
  readonly #writer: string;

  constructor(engines: PageEngines, link: Link) {
    super();
    this.#engines = engines;
    this.#link = link;
    this.#writer = engines.random.uuid();
  }

  override async create(upload: Upload): Promise<Upload> {
    const { id, size, metadata } = upload;
    if (size === undefined) throw new ExchangeError('invalid_input', 'Upload-Length says how large the file is.');
    await beginUpload(this.#engines, this.#link, this.#writer, {
      id,
      name: metadata?.['filename'] ?? '',
      mediaType: metadata?.['filetype'] ?? 'application/octet-stream',
      sizeBytes: size,
    });
    // There is nothing to wait for.
    if (size === 0) await this.#receive(id, noBytes(), 0);
    return upload;
  }

  override async getUpload(id: string): Promise<Upload> {
    const { name, mediaType, sizeBytes, receivedBytes, received } = await this.#takeOver(id);
    // Nobody goes on with what looks complete: an empty file whose creation was cut off is received here.
    if (sizeBytes === 0 && !received) await this.#receive(id, noBytes(), 0);
    const metadata = { filename: name, filetype: mediaType };
    return new Upload({ id, size: sizeBytes, offset: receivedBytes, metadata });
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
    // Another request went on since this one looked: these bytes belong elsewhere in the file.
    if (upload.receivedBytes !== offset) throw new ExchangeError('upload_superseded');
    return receiveBytes(this.#engines, this.#link, this.#writer, upload, bytes);
  }

  async #takeOver(id: string): Promise<ResumableUpload> {
    const { store, policy } = this.#engines;
    const upload = isUuid(id)
      ? await store.uploads.takeOver(this.#link.accountId, deskOf(this.#link), id, this.#writer, policy.resumeSeconds)
      : undefined;
    if (!upload) throw new ExchangeError('not_found');
    return upload;
  }
}

async function* noBytes(): AsyncGenerator<Buffer, void, void> {}
