import { createHash } from 'node:crypto';
import type { CallOptions } from '../call-options.ts';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { LinkRequest, LinkUploads, SentThroughLink, Upload } from '../generated/wire.ts';
import { type ReceiptOptions, receiptToFile } from '../transfer/receipt-to-file.ts';
import { type NamedFile, requireDistinctFiles } from '../transfer/send.ts';
import type { FileToSend, Source } from '../transfer/sources.ts';
import { type UploadProgress, Uploads } from '../transfer/uploads.ts';
import type { LinkConnection } from './link-connection.ts';

/** Options of files that are sent through a link. */
export interface GiveOptions extends CallOptions {
  /** The files and folders. */
  files: readonly FileToSend[];
  /** A message to the account. */
  message?: string | undefined;
  /** Deletes files that were uploaded through the link before and are not among these. By default, the call fails. */
  discardOthers?: boolean | undefined;
  /** Sends files again that were the last ones to be sent. By default, the call sends nothing then. */
  again?: boolean | undefined;
  /** Called whenever bytes were sent. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** The result of sending files through a link. */
export interface GiveResult {
  /** What was sent. */
  sent: SentThroughLink;
  /** Whether the same files were the last ones to be sent before, and this call sent nothing. */
  repeated: boolean;
}

/** A link of a contact who is asked for files. */
export class UploadLink {
  /** What distinguishes it from a `DownloadLink`. */
  readonly kind = 'upload';
  /** What is asked for, as it was when the link was opened. */
  readonly request: LinkRequest;
  readonly #connection: LinkConnection;
  readonly #uploads: Uploads;

  /** @internal */
  constructor(connection: LinkConnection, request: LinkRequest) {
    this.#connection = connection;
    this.#uploads = new Uploads(connection.api);
    this.request = request;
  }

  /** Gets what is asked for again, with what was sent since. */
  async get(options: CallOptions = {}): Promise<LinkRequest> {
    return await this.#connection.api.get('request', {}, options);
  }

  /** Lists the files that were uploaded through the link and not sent yet. */
  async uploads(options: CallOptions = {}): Promise<Upload[]> {
    return (await this.#connection.api.get<LinkUploads>('uploads', {}, options)).data;
  }

  /**
   * Uploads files and sends them to the account. Another call, in any process, continues what was interrupted: the server
   * knows what was uploaded and what was sent.
   */
  async give(options: GiveOptions): Promise<GiveResult> {
    const { files, message = '', discardOthers, again, signal, onProgress } = options;
    const wanted = await requireDistinctFiles(files);
    const request = await this.get({ signal });
    const { last_sent: last, max_file_size: maxSize, max_files: maxFiles } = request;
    if (again !== true && last && (await isSame(wanted, last))) return { sent: last, repeated: true };
    if (request.used) throw new WaybillError('link_ended', 'Files were sent through this link, and it takes no more.');
    if (wanted.length > maxFiles) {
      throw new WaybillError('too_many_files', `At most ${maxFiles} files can be sent at once.`);
    }
    const known = await this.#findKnown(wanted, discardOthers === true, signal);
    const tooLarge = wanted.find(({ path, size = 0 }) => size > maxSize && !known.has(path));
    if (tooLarge) throw new WaybillError('too_large', `${tooLarge.path} is too large.`, { maxSize });
    for (const { path, source } of wanted) {
      await this.#upload(source, known.get(path), { signal, onProgress });
    }
    const { api } = this.#connection;
    return { sent: await api.post<SentThroughLink>('send', { message }, { signal }), repeated: false };
  }

  async #upload(
    source: Source,
    known: Upload | undefined,
    options: CallOptions & Pick<GiveOptions, 'onProgress'>,
  ): Promise<Upload> {
    try {
      return await this.#uploads.uploadOrContinue(source, known, options);
    } catch (error) {
      // The upload was of an earlier state of the file, and is deleted.
      if (known === undefined || !isWaybillError(error, 'digest_mismatch', 'not_found', 'upload_worn_out')) throw error;
      return await this.#uploads.uploadOrContinue(source, undefined, options);
    }
  }

  /** Finds the uploads to continue, by their paths. What cannot be continued is deleted. */
  async #findKnown(
    wanted: readonly NamedFile[],
    discardOthers: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Map<string, Upload>> {
    const sizes = new Map(wanted.map(({ path, size }) => [path, size]));
    const known = new Map<string, Upload>();
    const others: Upload[] = [];
    const useless: Upload[] = [];
    for (const upload of await this.uploads({ signal })) {
      const size = sizes.get(upload.path);
      if (!sizes.has(upload.path)) others.push(upload);
      else if (upload.state === 'refused' || size !== upload.size || known.has(upload.path)) useless.push(upload);
      else known.set(upload.path, upload);
    }
    // A refused file is never sent.
    const sendable = others.filter(({ state }) => state !== 'refused');
    if (sendable.length > 0 && !discardOthers) {
      const names = sendable.slice(0, 5).map(({ path }) => path);
      throw new WaybillError(
        'files_not_ready',
        `Other files were uploaded through this link and not sent: ${names.join(', ')}${sendable.length > 5 ? ', …' : ''}.`,
      );
    }
    for (const { id } of [...useless, ...sendable]) await this.#uploads.delete(id, { signal });
    return known;
  }

  /**
   * Stores the receipt of what was sent through this link under a path.
   *
   * @param path The path of the file.
   */
  async receiptToFile(path: string, options: ReceiptOptions = {}): Promise<void> {
    await receiptToFile(this.#connection.api, 'receipt', path, options);
  }

  /** Ends the session on the server, and closes all connections. The link can be opened again. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Closes all connections. The session goes on for another process, if a `sessionStore` keeps it. */
  disconnect(): void {
    this.#connection.disconnect();
  }
}

/** Whether these are the files that were sent last. Reads them only if their paths and sizes are the same. */
async function isSame(wanted: readonly NamedFile[], { files }: SentThroughLink): Promise<boolean> {
  const sent = new Map(files.map((file) => [file.path, file]));
  if (wanted.length !== files.length || wanted.some(({ path, size }) => sent.get(path)?.size !== size)) return false;
  for (const { path, source } of wanted) {
    if ((await computeDigest(source)) !== sent.get(path)?.sha256) return false;
  }
  return true;
}

async function computeDigest(source: Source): Promise<string> {
  const opened = await source.open();
  try {
    const hash = createHash('sha256');
    for (let offset = 0; offset < opened.size; ) {
      const bytes = await opened.chunk(offset);
      hash.update(bytes);
      offset += bytes.length;
    }
    return hash.digest('hex');
  } finally {
    await opened.close();
  }
}
