import type { CallOptions } from './call-options.ts';
import { isAccountAddress } from './canonical-address.ts';
import { WaybillError } from './errors.ts';
import type { Account, CreatedFileRequest } from './generated/wire.ts';
import { ApiClient } from './http/api-client.ts';
import { type ApiAccess, HttpRequests } from './http/http-requests.ts';
import { defaultRetryPolicy, type Retry, type RetryPolicy } from './http/retry-policy.ts';
import { parseServerUrl } from './http/server-url.ts';
import { Transport } from './http/transport.ts';
import { Contacts } from './resources/contacts.ts';
import { Drops } from './resources/drops.ts';
import { Events } from './resources/events.ts';
import { Inbox } from './resources/inbox.ts';
import { Keys } from './resources/keys.ts';
import { Receipts } from './resources/receipts.ts';
import { type RequestOptions, Requests, requestFiles } from './resources/requests.ts';
import { TestMessages } from './resources/test-messages.ts';
import { Webhooks } from './resources/webhooks.ts';
import { defaultRuntime, type Runtime } from './runtime.ts';
import {
  type Download,
  type DownloadOptions,
  type FileToDownload,
  openDownload,
  toRemoteFile,
} from './transfer/download.ts';
import {
  type DownloadedFile,
  type DownloadToFileOptions,
  downloadPart,
  downloadToFile,
} from './transfer/download-to-file.ts';
import {
  type CheckedSend,
  checkSend,
  type SendNeeds,
  type SendOptions,
  type SendResult,
  send,
} from './transfer/send.ts';
import { Uploads } from './transfer/uploads.ts';

/** Options of the client. */
export interface WaybillOptions {
  /** The server's address, such as `https://files.example.org`. */
  baseUrl: string | URL;
  /** The account's address. It is not compared with that of the key, which decides whose account it is: `account()` gets it. */
  user: string;
  /** A key of the account. It is sent only to this server. */
  apiKey: string;
  /** Allows http:// to other machines. The key and the files can then be read in transit. */
  plainHttp?: boolean | undefined;
  /** How often and for how long requests are retried. Overrides single values of the default policy. */
  retry?: Partial<RetryPolicy> | undefined;
  /** Called before a request is sent again. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** A connection without any data for this long is closed. Defaults to 2 minutes. */
  idleTimeoutMs?: number | undefined;
  /** Replaces the clock and the source of random numbers in tests. */
  runtime?: Partial<Runtime> | undefined;
}

/** A client for one account, which any number of concurrent calls may share. */
export class Waybill {
  /** The account's contacts. */
  readonly contacts: Contacts;
  /** Drops: files that were sent. */
  readonly drops: Drops;
  /** Events of the account. */
  readonly events: Events;
  /** Files that were received. */
  readonly inbox: Inbox;
  /** The account's API keys. */
  readonly keys: Keys;
  /** Receipts of what was sent. */
  readonly receipts: Receipts;
  /** Requests for files. */
  readonly requests: Requests;
  /** Kept mails and SMS of a test account. */
  readonly testMessages: TestMessages;
  /** Uploads that are not in a drop yet. */
  readonly uploads: Uploads;
  /** Webhooks, to which events are sent. */
  readonly webhooks: Webhooks;
  readonly #transport: Transport;
  readonly #api: ApiClient;

  /** Creates a client. It connects with the first call. */
  constructor(options: WaybillOptions) {
    const runtime = { ...defaultRuntime, ...options.runtime };
    const retryPolicy = { ...defaultRetryPolicy, ...options.retry };
    const access = toApiAccess(options);
    const transport = new Transport(access.url, options.idleTimeoutMs ?? 120_000);
    this.#transport = transport;
    this.#api = new ApiClient(new HttpRequests(transport, access, retryPolicy, runtime, options.onRetry));
    this.contacts = new Contacts(this.#api);
    this.drops = new Drops(this.#api);
    this.events = new Events(this.#api);
    this.inbox = new Inbox(this.#api);
    this.keys = new Keys(this.#api);
    this.receipts = new Receipts(this.#api);
    this.requests = new Requests(this.#api);
    this.testMessages = new TestMessages(this.#api);
    this.uploads = new Uploads(this.#api);
    this.webhooks = new Webhooks(this.#api);
  }

  /** Gets the account, its limits, and the rights of the key. */
  async account(options: CallOptions = {}): Promise<Account> {
    return await this.#api.get('account', {}, options);
  }

  /**
   * Sends files and folders: checks the receivers, the lifetime and the sizes, uploads the files, and creates a drop.
   *
   * @example
   * const { drop } = await waybill.send({ files: ['report.pdf'], to: ['anna@example.com'], message: 'The report.', days: 7 });
   * console.log(drop.reference, drop.expires_at);
   */
  async send(options: SendOptions): Promise<SendResult> {
    return await send(this.#sendNeeds(), options);
  }

  /** Checks whether `send` would succeed, and sends nothing. Throws an error with all faults. */
  async checkSend(options: SendOptions): Promise<CheckedSend> {
    return await checkSend(this.#sendNeeds(), options);
  }

  /** Asks people for files. Each of them gets a page for uploading. */
  async request(options: RequestOptions): Promise<CreatedFileRequest> {
    return await requestFiles(this.requests, options);
  }

  /** Downloads a file of the inbox, or of a drop that the account sent, as a stream of bytes. */
  async download(file: FileToDownload, options: DownloadOptions = {}): Promise<Download> {
    return await openDownload(this.#api, toRemoteFile(file), options);
  }

  /**
   * Downloads a file of the inbox, or of a drop that the account sent, to a path, where it appears only once it is complete, checked and on disk.
   *
   * @param path The path. Use `safeLocalName` first for names that someone else chose.
   */
  async downloadToFile(
    file: FileToDownload,
    path: string,
    options: DownloadToFileOptions = {},
  ): Promise<DownloadedFile> {
    return await downloadToFile(this.#api, toRemoteFile(file), path, options);
  }

  /**
   * Downloads a file of the inbox, or of a drop that the account sent, into a part file, and resumes an existing part. When this returns, the part is the
   * whole file, checked and on disk, and can be renamed.
   *
   * @param part The path of the part file.
   */
  async downloadPart(
    file: FileToDownload,
    part: string,
    options: DownloadOptions = {},
  ): Promise<Pick<Download, 'path' | 'size' | 'sha256'>> {
    return await downloadPart(this.#api, toRemoteFile(file), part, options);
  }

  /** Closes all connections. Calls in progress fail. */
  close(): void {
    this.#transport.close();
  }

  #sendNeeds(): SendNeeds {
    const { uploads, drops } = this;
    return {
      uploads,
      drops,
      account: (options) => this.account(options),
      newKey: () => this.#api.generateKey(),
    };
  }
}

function toApiAccess({ baseUrl, user, apiKey, plainHttp = false }: WaybillOptions): ApiAccess {
  const base = parseServerUrl(baseUrl, plainHttp);
  if (!isAccountAddress(user) || apiKey === '') {
    throw new WaybillError('invalid_argument', 'An account needs an e-mail address and an API key.');
  }
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  return { url: new URL(`${folder}api/v1/`, base), authorization: `Bearer ${apiKey}` };
}
