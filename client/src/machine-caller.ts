import type { IncomingMessage } from 'node:http';
import { bytesOf } from './answer.ts';
import { TokenKeeper, tokenIn } from './csrf-token.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import type { Call, HttpRequests } from './http-requests.ts';

/** A token can be lost many times in a row if more clients share an account than it may have tokens. */
const maxRenewals = 40;

/** Calls the machine API, whose requests carry a token. */
export class MachineCaller {
  readonly #requests: HttpRequests;
  readonly #tokens: TokenKeeper;

  constructor(requests: HttpRequests) {
    this.#requests = requests;
    this.#tokens = new TokenKeeper(() => this.#fetchToken());
  }

  /** Every operation of the API can be repeated safely: uploads replace, and a dispatch carries a key. */
  async call<T>(call: Call<T>): Promise<T> {
    let renewals = 0;
    return await this.#requests.patiently(call, async () => {
      for (;;) {
        const token = await this.#tokens.token(call.signal);
        try {
          return await this.#requests.attempt(call, { 'CSRF-Token': token });
        } catch (error) {
          if (!isWaybillError(error, 'csrf_rejected') || call.repeatable?.() === false) throw error;
          this.#tokens.reject(token);
          renewals += 1;
          if (renewals >= maxRenewals) throw error;
          // One renewal is normal. After that, others are pushing our token out, and haste makes it worse.
          if (renewals > 1) await this.#requests.pause(renewals - 1, call.signal);
        }
      }
    });
  }

  /** spec 4, rule 1. Shared by all callers: no single one aborts it, and each repeats its own request if it fails. */
  async #fetchToken(): Promise<string> {
    const read = async (answer: IncomingMessage) => {
      const token = tokenIn((await bytesOf(answer)).toString('utf8'));
      // It goes into a header.
      if (token !== undefined && /^[\x21-\x7e]{1,1024}$/.test(token)) return token;
      throw new WaybillError(
        'unexpected_answer',
        'The account’s page has no field "csrftoken". It may not be a Waybill server.',
        { status: answer.statusCode },
      );
    };
    return await this.#requests.attempt({ method: 'GET', path: '', read });
  }
}
