import type { CallOptions } from '../call-options.ts';
import type { LinkDrop, LinkFile } from '../generated/wire.ts';
import { toPath } from '../http/api-client.ts';
import { type Download, type DownloadOptions, openDownload, type RemoteFile } from '../transfer/download.ts';
import {
  type DownloadedFile,
  type DownloadToFileOptions,
  downloadPart,
  downloadToFile,
} from '../transfer/download-to-file.ts';
import { type ReceiptOptions, receiptToFile } from '../transfer/receipt-to-file.ts';
import type { LinkConnection } from './link-connection.ts';

/** A link to files that were sent to its receiver. */
export class DownloadLink {
  /** What distinguishes it from an `UploadLink`. */
  readonly kind = 'download';
  /** The message and the files, as they were when the link was opened. */
  readonly drop: LinkDrop;
  readonly #connection: LinkConnection;

  /** @internal */
  constructor(connection: LinkConnection, drop: LinkDrop) {
    this.#connection = connection;
    this.drop = drop;
  }

  /** Gets the message and the files again, with what was delivered since. */
  async get(options: CallOptions = {}): Promise<LinkDrop> {
    return await this.#connection.api.get('drop', {}, options);
  }

  /** Downloads a file as a stream of bytes. */
  async download(file: LinkFile, options: DownloadOptions = {}): Promise<Download> {
    return await openDownload(this.#connection.api, ofLink(file), options);
  }

  /**
   * Downloads a file to a path, where it appears only once it is complete, checked and on disk.
   *
   * @param path The path. Use `safeLocalName` first for names that someone else chose.
   */
  async downloadToFile(file: LinkFile, path: string, options: DownloadToFileOptions = {}): Promise<DownloadedFile> {
    return await downloadToFile(this.#connection.api, ofLink(file), path, options);
  }

  /**
   * Downloads a file into a part file, and resumes an existing part. When this returns, the part is the whole file,
   * checked and on disk, and can be renamed.
   *
   * @param part The path of the part file.
   */
  async downloadPart(
    file: LinkFile,
    part: string,
    options: DownloadOptions = {},
  ): Promise<Pick<Download, 'path' | 'size' | 'sha256'>> {
    return await downloadPart(this.#connection.api, ofLink(file), part, options);
  }

  /**
   * Stores the receipt of this receiver under a path.
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

function ofLink({ id, name, path }: LinkFile): RemoteFile {
  return { resource: toPath('files', id), name, path };
}
