import { setTimeout as pause } from 'node:timers/promises';
import type { Account } from '../accounts.ts';
import { demo } from '../servers/running-demo.ts';
import { hiddenInputs } from './html.ts';
import { type FileToUpload, type MultipartBody, multipart, uploadParts } from './multipart.ts';
import { type RequestOptions, request } from './request.ts';
import { type HttpResponse, header, json, text } from './response.ts';
import type { ContactInput, ContactList, DispatchParameters, History, UploadedFile } from './shapes.ts';

export interface ClientOptions {
  /** A server other than the demo's balancer. It shares the demo's public name, so the Host header stays the demo's. */
  baseUrl?: string;
  /** Our extension: the draft in which this client works. */
  draft?: string;
  localAddress?: string;
  /** Returns a 503 at once. */
  impatient?: boolean;
}

const patienceMs = 60_000;

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

type Headers = Record<string, string>;

/**
 * A thin client for one account (docs/api.md). Operations return the response, whether good or bad; `read…` methods are
 * for requests that have to succeed, and return the parsed body. Like any well-behaved client, it tries again after a
 * 503: a shared machine may stand still for longer than the server waits for its engines.
 */
export class Client {
  readonly account: Account;
  readonly options: ClientOptions;
  #token: Promise<string> | undefined;

  constructor(account: Account, options: ClientOptions = {}) {
    this.account = account;
    this.options = options;
  }

  get user(): string {
    return this.account.user;
  }

  get authorization(): string {
    return basic(this.account.user, this.account.apiKey);
  }

  get baseUrl(): string {
    return this.options.baseUrl ?? demo().base_url;
  }

  /** The same account and token, working in a separate draft. */
  inDraft(draft: string): Client {
    return this.#withToken(new Client(this.account, { ...this.options, draft }));
  }

  /** The same account, draft and token, through another server. */
  through(baseUrl: string): Client {
    return this.#withToken(new Client(this.account, { ...this.options, baseUrl }));
  }

  /** The same account, draft and token, for a test that looks at every 503. */
  impatient(): Client {
    return this.#withToken(new Client(this.account, { ...this.options, impatient: true }));
  }

  #withToken(other: Client): Client {
    other.#keep(this.token());
    return other;
  }

  /** If it fails, its callers see the failure, and the next call creates another token. */
  #keep(token: Promise<string>): void {
    this.#token = token;
    token.catch(() => this.discardToken());
  }

  /** With Basic credentials only: the caller decides what the path means. */
  async plain(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const deadline = Date.now() + (this.options.impatient === true ? 0 : patienceMs);
    for (;;) {
      const response = await request(this.baseUrl, method, path, {
        ...options,
        ...(this.options.localAddress === undefined ? {} : { localAddress: this.options.localAddress }),
        headers: { Host: new URL(demo().base_url).host, Authorization: this.authorization, ...options.headers },
      });
      if (response.status !== 503 || Date.now() >= deadline) return response;
      await pause(Number(header(response, 'Retry-After')) * 1000);
    }
  }

  index(): Promise<HttpResponse> {
    return this.plain('GET', `/${this.user}/`);
  }

  async mintToken(): Promise<string> {
    const page = await this.index();
    const token = hiddenInputs(text(page), 'csrftoken')[0];
    if (page.status !== 200 || token === undefined) throw new Error(`no token: ${page.status} ${text(page)}`);
    return token;
  }

  /** One token, created when it is first needed. */
  token(): Promise<string> {
    if (this.#token === undefined) this.#keep(this.mintToken());
    return this.#token as Promise<string>;
  }

  /** Discards a refused token; the next request creates another. */
  discardToken(): void {
    this.#token = undefined;
  }

  /** With credentials and a token, below the account's path. */
  async call(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    // A token is created only if needed: a test that counts tokens supplies its own.
    const token = options.headers?.['CSRF-Token'] ?? (await this.token());
    return await this.plain(method, `/${this.user}/${path}`, {
      ...options,
      headers: {
        'CSRF-Token': token,
        ...(this.options.draft === undefined ? {} : { 'Waybill-Draft': this.options.draft }),
        ...options.headers,
      },
    });
  }

  get(path: string, headers: Headers = {}): Promise<HttpResponse> {
    return this.call('GET', path, { headers });
  }

  /** `body` as JSON; a string or a buffer is sent unchanged. */
  post(path: string, body: unknown, headers: Headers = {}): Promise<HttpResponse> {
    return this.call('POST', path, {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  }

  contacts(headers: Headers = {}): Promise<HttpResponse> {
    return this.get('cgi/contacts_read.cgi', headers);
  }

  addContacts(contacts: ContactInput[], headers: Headers = {}): Promise<HttpResponse> {
    return this.post('cgi/contacts_add.cgi', contacts, headers);
  }

  setReceivers(receivers: ContactInput[], headers: Headers = {}): Promise<HttpResponse> {
    return this.post('cgi/receivers_set.cgi', receivers, headers);
  }

  files(): Promise<HttpResponse> {
    return this.get('cgi/get_files.cgi');
  }

  removeFile(name: string): Promise<HttpResponse> {
    return this.get(`cgi/remove_file.cgi?filename=${encodeURIComponent(name)}`);
  }

  upload(...files: FileToUpload[]): Promise<HttpResponse> {
    return this.uploadBody(multipart(uploadParts(files)));
  }

  uploadBody({ contentType, body }: MultipartBody, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.call('POST', 'cgi/upload.cgi', {
      ...options,
      headers: { 'Content-Type': contentType, ...options.headers },
      body,
    });
  }

  createDrop(parameters: DispatchParameters = {}, headers: Headers = {}): Promise<HttpResponse> {
    return this.post('cgi/createdrop.cgi', parameters, headers);
  }

  giveDrop(parameters: DispatchParameters = {}, headers: Headers = {}): Promise<HttpResponse> {
    return this.post('cgi/givedrop.cgi', parameters, headers);
  }

  history(): Promise<HttpResponse> {
    return this.get('cgi/get_history.cgi');
  }

  download(inboxUrl: string, fileName: string, headers: Headers = {}): Promise<HttpResponse> {
    return this.get(`${inboxUrl}/files/${encodeURIComponent(fileName)}`, headers);
  }

  async readContacts(): Promise<ContactList> {
    return succeeded(await this.contacts());
  }

  async readFiles(): Promise<UploadedFile[]> {
    return succeeded(await this.files());
  }

  async readHistory(): Promise<History> {
    return succeeded(await this.history());
  }
}

/** Throws unless the response is 200; for the steps before the actual test. */
export function succeeded<T = unknown>(response: HttpResponse): T {
  if (response.status !== 200) throw new Error(`expected 200, got ${response.status}: ${text(response)}`);
  return json<T>(response);
}
