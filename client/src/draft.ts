import { contactOf } from './address.ts';
import { jsonOf } from './answer.ts';
import type { CallOptions } from './call-options.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import type { MachineCaller } from './machine-caller.ts';
import { type UploadForm, uploadForm } from './multipart.ts';
import type { Call } from './requests.ts';
import { type FileToSend, type Source, sourceOf } from './sources.ts';
import type { ContactInput, DispatchParameters, UploadedFile } from './wire.ts';

export interface FilesOptions extends CallOptions {
  /** Asks for `bytes` and `sha256` of each file. They are absent if the server does not support this. */
  digests?: boolean | undefined;
}

export interface UploadProgress {
  name: string;
  /** Starts again at 0 when the upload is repeated. */
  sentBytes: number;
  /** Undefined if the source does not tell. */
  totalBytes: number | undefined;
}

export interface UploadOptions extends CallOptions {
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

export interface DispatchOptions extends CallOptions {
  /** The lifetime of the drop, in the server's unit, which is days unless its administrator changed it. */
  days?: number | undefined;
  message?: string | undefined;
  /** Makes a repeated dispatch recognisable for 7 days. */
  idempotencyKey: string;
}

/** Refusals of a single file. Whoever sends several needs to know which one it is. */
const refusalsOfFiles = ['infected', 'invalid_name', 'too_large', 'too_large_to_scan'] as const;

/** A draft: the receivers and files of one future dispatch. Drafts of different names are independent of each other. */
export class Draft {
  readonly name: string | undefined;
  readonly #caller: MachineCaller;
  readonly #newBoundary: () => string;

  /** @internal */
  constructor(caller: MachineCaller, name: string | undefined, newBoundary: () => string) {
    this.#caller = caller;
    this.name = name;
    this.#newBoundary = newBoundary;
  }

  /** Replaces the receivers. Each must be a contact. */
  async setReceivers(receivers: readonly (string | ContactInput)[], { signal }: CallOptions = {}): Promise<void> {
    await this.#post('cgi/receivers_set.cgi', receivers.map(contactOf), {}, signal);
  }

  /** Opens the list of files, which a dispatch requires, and returns what is staged. */
  async files({ signal, digests = false }: FilesOptions = {}): Promise<UploadedFile[]> {
    const headers: Record<string, string> = digests ? { Prefer: 'file-digests' } : {};
    return await this.#call({
      method: 'GET',
      path: 'cgi/get_files.cgi',
      headers,
      signal,
      read: jsonOf<UploadedFile[]>,
    });
  }

  async removeFile(name: string, { signal }: CallOptions = {}): Promise<void> {
    const path = `cgi/remove_file.cgi?filename=${encodeURIComponent(name)}`;
    await this.#call({ method: 'GET', path, signal, read: jsonOf });
  }

  /** Stages a file. It replaces a staged one of the same name. */
  async upload(file: FileToSend, { signal, onProgress }: UploadOptions = {}): Promise<void> {
    const source = sourceOf(file);
    let form: UploadForm | undefined;
    const uploading = this.#call({
      method: 'POST',
      path: 'cgi/upload.cgi',
      body: async () => {
        form = await this.#form(source, onProgress);
        return form.body;
      },
      bodyHeaders: () => form?.headers ?? {},
      repeatable: () => source.repeatable(),
      signal,
      read: jsonOf,
    });
    await uploading.catch((error: unknown) => {
      if (!isWaybillError(error, ...refusalsOfFiles) || error.message.includes(source.name)) throw error;
      throw new WaybillError(error.code, `${source.name}: ${error.message}`, error);
    });
  }

  /** Sends the staged files to the receivers. */
  async dispatch(options: DispatchOptions): Promise<void> {
    await this.#dispatch('cgi/createdrop.cgi', options);
  }

  /** Gives the receivers a page on which they can upload files. */
  async grant(options: DispatchOptions): Promise<void> {
    await this.#dispatch('cgi/givedrop.cgi', options);
  }

  async #form(source: Source, onProgress: UploadOptions['onProgress']): Promise<UploadForm> {
    const opened = await source.open();
    const { name } = source;
    return uploadForm(source, opened, this.#newBoundary(), (sentBytes) =>
      onProgress?.({ name, sentBytes, totalBytes: opened.sizeBytes }),
    );
  }

  async #dispatch(path: string, { days, message, idempotencyKey, signal }: DispatchOptions): Promise<void> {
    const parameters: DispatchParameters = {
      ...(days === undefined ? {} : { desttime: days }),
      ...(message === undefined ? {} : { ddmessage: message }),
    };
    await this.#post(path, parameters, { 'Idempotency-Key': idempotencyKey }, signal);
  }

  async #post(
    path: string,
    value: unknown,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const body = Buffer.from(JSON.stringify(value));
    await this.#call({
      method: 'POST',
      path,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: () => body,
      signal,
      read: jsonOf,
    });
  }

  #call<T>(call: Call<T>): Promise<T> {
    const draft: Record<string, string> = this.name === undefined ? {} : { 'Waybill-Draft': this.name };
    return this.#caller.call({ ...call, headers: { ...draft, ...call.headers } });
  }
}
