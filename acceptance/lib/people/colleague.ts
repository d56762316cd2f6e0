import type { OwnExchange } from '../servers/own-exchange.ts';

const password = 'seven purple lanterns over Uppsala';

/** Someone who has signed in, with a browser that runs no scripts. */
export class Colleague {
  readonly #baseUrl: string;
  readonly #cookies = new Map<string, string>();
  /** The token of the last page's form. */
  #token = '';

  private constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Invites a person, lets them choose a password, and makes them a member of the account. */
  static async signIn(exchange: OwnExchange, account: string, role: 'reader' | 'member' | 'owner'): Promise<Colleague> {
    const email = `maya-${account}`;
    const invited = await exchange.admin('people', 'invite', '--email', email, '--no-mail', '--json');
    const { link } = JSON.parse(invited.stdout) as { link: string };
    await exchange.admin('members', 'set', '--account', account, '--email', email, '--role', role);
    const colleague = new Colleague(exchange.baseUrl);
    const path = new URL(link).pathname;
    await colleague.get(path);
    await colleague.post(path, { gesture: 'pressed' });
    await colleague.get('/sign-in/enrolment');
    const enrolled = await colleague.post('/sign-in/enrolment/password', { name: 'Maya Lindqvist', password });
    if (enrolled.headers.get('location') !== '/home?welcome')
      throw new Error(`signing in ended with ${enrolled.status}`);
    return colleague;
  }

  /** The cookies, for a browser that continues where this one is. */
  get cookies(): { name: string; value: string; url: string }[] {
    return Array.from(this.#cookies, ([name, value]) => ({ name, value, url: this.#baseUrl }));
  }

  /** Of the forms of the last page that was shown. */
  get token(): string {
    return this.#token;
  }

  /** Of each request of a page. */
  get headers(): Record<string, string> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    return { cookie, accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'same-origin' };
  }

  async get(path: string): Promise<string> {
    const text = await (await this.open(path)).text();
    this.#token = /name="csrftoken" value="([^"]+)"/.exec(text)?.[1] ?? this.#token;
    return text;
  }

  post(path: string, fields: Record<string, string>): Promise<Response> {
    return this.open(path, { method: 'POST', body: new URLSearchParams({ csrftoken: this.#token, ...fields }) });
  }

  /** Resolves when the first byte has arrived. */
  async open(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...this.headers, ...(init.headers as Record<string, string>) };
    const response = await fetch(new URL(path, this.#baseUrl), { ...init, headers, redirect: 'manual' });
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}
