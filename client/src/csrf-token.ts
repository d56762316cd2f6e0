import { Parser } from 'htmlparser2';

/** The value of the hidden input that carries the token; undefined if the page has none. */
export function tokenIn(html: string): string | undefined {
  let token: string | undefined;
  const parser = new Parser({
    onopentag(name, { name: field, value }) {
      if (name === 'input' && field === 'csrftoken') token ??= value;
    },
  });
  parser.end(html);
  return token;
}

/** One token for the whole client. Callers that need it while it is being fetched share that fetch. */
export class TokenKeeper {
  readonly #fetch: () => Promise<string>;
  #current: Promise<string> | undefined;
  #value: string | undefined;

  constructor(fetch: () => Promise<string>) {
    this.#fetch = fetch;
  }

  token(signal?: AbortSignal): Promise<string> {
    this.#current ??= this.#renew();
    return signal ? unlessAborted(this.#current, signal) : this.#current;
  }

  /** A request with this token was refused. Only the first report of a token causes a new fetch. */
  reject(token: string): void {
    if (this.#value !== token) return;
    this.#value = undefined;
    this.#current = undefined;
  }

  async #renew(): Promise<string> {
    try {
      this.#value = await this.#fetch();
      return this.#value;
    } catch (error) {
      this.#current = undefined; // the next caller tries again
      throw error;
    }
  }
}

/** A caller that gives up must not end the fetch for the others. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
