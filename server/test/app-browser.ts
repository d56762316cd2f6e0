import type { FastifyInstance, InjectOptions } from 'fastify';

/** A browser: it keeps cookies, and sends what browsers send. */
export class AppBrowser {
  readonly #app: FastifyInstance;
  readonly #host: string;
  readonly cookies = new Map<string, string>();
  /** The token of the last page's form. */
  csrf = '';

  constructor(app: FastifyInstance, publicUrl: string) {
    this.#app = app;
    this.#host = new URL(publicUrl).host;
  }

  async send(method: NonNullable<InjectOptions['method']>, url: string, options: Partial<InjectOptions> = {}) {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const response = await this.#app.inject({
      method,
      url,
      ...options,
      headers: {
        host: this.#host,
        cookie,
        'user-agent': 'Firefox',
        'sec-fetch-site': 'same-origin',
        ...options.headers,
      },
    });
    for (const header of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (/Max-Age=0/.test(header)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    this.csrf = /name="csrftoken" value="([^"]+)"/.exec(response.body)?.[1] ?? this.csrf;
    return response;
  }

  get = (url: string) => this.send('GET', url);

  post(url: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) {
    const payload = new URLSearchParams({ csrftoken: this.csrf, ...fields }).toString();
    return this.send('POST', url, {
      payload,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  postJson(url: string, payload: object) {
    const headers = { 'content-type': 'application/json', accept: 'application/json', 'csrf-token': this.csrf };
    return this.send('POST', url, { payload, headers });
  }
}
