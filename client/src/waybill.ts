import { piecesOf } from './answer.ts';
import { Caller } from './caller.ts';
import { Contacts } from './contacts.ts';
import { type Download, type DownloadNeeds, type DownloadOptions, type InboxFile, openDownload } from './download.ts';
import { type DownloadedFile, type DownloadToFileOptions, downloadPart, downloadToFile } from './download-to-file.ts';
import { type CallOptions, Draft } from './draft.ts';
import { WaybillError } from './errors.ts';
import { listElements } from './list-elements.ts';
import { defaultPatience, type Patience } from './patience.ts';
import { type RequestOptions, request, type SendOptions, type Sent, send, type Workplace } from './send.ts';
import { realSurroundings, type Surroundings } from './surroundings.ts';
import { Transport } from './transport.ts';
import type { HistoryEntry, InboxEntry } from './wire.ts';

export interface WaybillOptions {
  /** The server's address, such as `https://files.example.org`. */
  baseUrl: string | URL;
  /** The account's address. */
  user: string;
  apiKey: string;
  /** Allows http:// to another machine than this one. The key and the files can then be read on the way. */
  plainHttp?: boolean | undefined;
  /** How often and how long requests are repeated. */
  patience?: Partial<Patience> | undefined;
  /** A connection on which nothing moves for so long is given up. */
  silenceMs?: number | undefined;
  /** Time and chance, for tests. */
  surroundings?: Partial<Surroundings> | undefined;
}

/** A client of one account. It may be shared by any number of concurrent calls. */
export class Waybill {
  readonly contacts: Contacts;
  readonly #transport: Transport;
  readonly #caller: Caller;
  readonly #downloads: DownloadNeeds;
  readonly #workplace: Workplace;

  constructor(options: WaybillOptions) {
    const surroundings = { ...realSurroundings, ...options.surroundings };
    const patience = { ...defaultPatience, ...options.patience };
    const account = accountOf(options);
    this.#transport = new Transport(account.url, options.silenceMs ?? 120_000);
    this.#caller = new Caller(this.#transport, account, patience, surroundings);
    this.#downloads = { caller: this.#caller, patience, surroundings };
    this.contacts = new Contacts(this.#caller, surroundings);
    this.#workplace = {
      contacts: this.contacts,
      draft: (name) => this.draft(name),
      uuid: () => surroundings.uuid(),
    };
  }

  /** Sends files: adds contacts that are missing, sets the receivers, uploads, and dispatches. */
  async send(options: SendOptions): Promise<Sent> {
    return await send(this.#workplace, options);
  }

  /** Gives contacts a page of their own to send files back. */
  async request(options: RequestOptions): Promise<Sent> {
    return await request(this.#workplace, options);
  }

  /** What contacts and other accounts have sent to this one and can still be fetched, newest first. */
  inbox(options: CallOptions = {}): AsyncGenerator<InboxEntry, void, void> {
    return this.#list<InboxEntry>('inbox', options);
  }

  /** The account's own drops and grants, newest first. However long it is, one entry is in memory at a time. */
  history(options: CallOptions = {}): AsyncGenerator<HistoryEntry, void, void> {
    return this.#list<HistoryEntry>('history', options);
  }

  /** A file of the inbox as a stream. */
  async download(file: InboxFile, options: DownloadOptions = {}): Promise<Download> {
    return await openDownload(this.#downloads, file, options);
  }

  /** A file of the inbox to a path, under its name only when it is complete and checked. */
  async downloadToFile(file: InboxFile, path: string, options: DownloadToFileOptions = {}): Promise<DownloadedFile> {
    return await downloadToFile(this.#downloads, file, path, options);
  }

  /**
   * A file of the inbox into a part file, which may be there from before: it is continued. When this returns, the part
   * is the whole file, checked and on the disk, for the caller to rename.
   */
  async downloadPart(
    file: InboxFile,
    part: string,
    options: DownloadOptions = {},
  ): Promise<Omit<DownloadedFile, 'path'>> {
    return await downloadPart(this.#downloads, file, part, options);
  }

  /** A draft of this name, or the account's own, for what `send` does not do. */
  draft(name?: string): Draft {
    return new Draft(this.#caller, name, () => `waybill-${this.#downloads.surroundings.uuid()}`);
  }

  /** Closes connections that are kept open. What is under way fails. */
  close(): void {
    this.#transport.close();
  }

  async *#list<T>(list: 'history' | 'inbox', { signal }: CallOptions): AsyncGenerator<T, void, void> {
    const answer = await this.#caller.call({
      method: 'GET',
      path: 'cgi/get_history.cgi',
      signal,
      read: async (head) => head,
    });
    try {
      yield* listElements<T>(piecesOf(answer), list);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      answer.destroy(); // whoever stops early wants no more of it
    }
  }
}

function accountOf({ baseUrl, user, apiKey, plainHttp = false }: WaybillOptions): { url: URL; authorization: string } {
  const base = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : undefined;
  if (base?.protocol !== 'https:' && base?.protocol !== 'http:') {
    throw new WaybillError('invalid_argument', 'The server’s address starts with https://.');
  }
  if (base.protocol === 'http:' && !plainHttp && !isThisMachine(base.hostname)) {
    throw new WaybillError(
      'invalid_argument',
      `http://${base.host} would send the API key in the clear. Use https://, or allow plain HTTP on purpose.`,
    );
  }
  if (!/^[^\s:/]+@[^\s:/]+$/.test(user) || apiKey === '') {
    throw new WaybillError('invalid_argument', 'An account is an e-mail address and an API key.');
  }
  const name = user.toLowerCase();
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  return {
    url: new URL(`${folder}${encodeURIComponent(name).replace('%40', '@')}/`, base),
    authorization: `Basic ${Buffer.from(`${name}:${apiKey}`).toString('base64')}`,
  };
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
