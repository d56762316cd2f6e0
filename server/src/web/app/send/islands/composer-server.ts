import type { HttpRequest, HttpResponse, UploadOptions } from 'tus-js-client';
import type { DraftFile } from '../../../../domain/uploads/upload-store.ts';
import { responseDeadlineMs } from '../../../shared/islands/server-files.ts';

interface ListResponse {
  readonly csrf: string;
  readonly draftKey: string;
  readonly files: DraftFile[];
}

/** The ids of one request. */
const idsAtOnce = 200;

/**
 * The requests of a composer to the server. They need a session, and a token that is bound to it: a page may outlive
 * both, and continues as soon as the person has signed in again, in whichever tab.
 */
export class ComposerServer {
  onAccess: () => void = () => {};
  readonly #endpoint: string;
  readonly #token: HTMLInputElement;
  readonly #draftKey: string;
  readonly #fetch: typeof fetch;
  #signedOut = false;

  /** `token` is the field of the form that has the token; `draftKey` tells whose form it is. */
  constructor(
    endpoint: string,
    token: HTMLInputElement,
    draftKey: string,
    send: typeof fetch = (...request) => fetch(...request),
  ) {
    this.#endpoint = endpoint;
    this.#token = token;
    this.#draftKey = draftKey;
    this.#fetch = send;
  }

  /** Whether the person has to sign in again. */
  get signedOut(): boolean {
    return this.#signedOut;
  }

  /** Adds what this server needs to the options of an upload. */
  extend(options: UploadOptions = {}): UploadOptions {
    return {
      ...options,
      onBeforeRequest: (request) => this.#authorize(request),
      onAfterResponse: (request: HttpRequest, response: HttpResponse) => {
        this.note(response.getStatus());
        // The token may be that of an earlier session.
        if (response.getStatus() === 403) void this.renewToken();
        return options.onAfterResponse?.(request, response);
      },
    };
  }

  /** Notes the status of a response. */
  note(status: number): void {
    if ((status === 401) === this.#signedOut || status >= 500) return;
    this.#signedOut = status === 401;
    this.onAccess();
  }

  /** Reads the state of these files, and the token that is valid now. */
  async files(ids: readonly string[]): Promise<readonly DraftFile[] | undefined> {
    const found: DraftFile[] = [];
    for (let from = 0; from < ids.length || (from === 0 && this.#signedOut); from += idsAtOnce) {
      const portion = await this.#read(ids.slice(from, from + idsAtOnce));
      if (!portion) return undefined;
      found.push(...portion);
    }
    return found;
  }

  /** Reads the token that is valid now. */
  async renewToken(): Promise<void> {
    await this.#read([]).catch(() => undefined);
  }

  async #read(ids: readonly string[]): Promise<readonly DraftFile[] | undefined> {
    const response = await this.#fetch(`${this.#endpoint}?ids=${ids.join()}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(responseDeadlineMs),
    });
    if (!response.ok) {
      this.note(response.status);
      return undefined;
    }
    const { csrf, draftKey, files } = (await response.json()) as ListResponse;
    // In the name of another person, who has signed in since, nothing is sent.
    const isOwn = draftKey === this.#draftKey;
    this.note(isOwn ? response.status : 401);
    if (!isOwn) return undefined;
    this.#token.value = csrf;
    return files;
  }

  #authorize(request: HttpRequest): void {
    request.setHeader('csrf-token', this.#token.value);
    request.setHeader('accept', 'application/json');
  }
}
