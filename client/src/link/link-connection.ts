import { isWaybillError, WaybillError } from '../errors.ts';
import type { LinkCode, LinkSession, OpenedLink } from '../generated/wire.ts';
import { ApiClient } from '../http/api-client.ts';
import { type ApiAccess, HttpRequests } from '../http/http-requests.ts';
import { defaultRetryPolicy } from '../http/retry-policy.ts';
import { Transport } from '../http/transport.ts';
import { defaultRuntime } from '../runtime.ts';
import type { CodeQuestion, LinkOptions } from './link-options.ts';
import type { ParsedLink } from './parse-link.ts';

/** The connection of a program to one link: opens it, and again if the session has ended during a long transfer. */
export class LinkConnection {
  readonly api: ApiClient;
  readonly #transport: Transport;
  readonly #access: ApiAccess;
  readonly #token: string;
  readonly #kind: ParsedLink['kind'];
  readonly #options: LinkOptions;

  constructor({ server, token, kind }: ParsedLink, options: LinkOptions) {
    const runtime = { ...defaultRuntime, ...options.runtime };
    const retryPolicy = { ...defaultRetryPolicy, ...options.retry };
    this.#transport = new Transport(server, options.idleTimeoutMs ?? 120_000);
    this.#access = {
      url: new URL('api/v1/link/', server),
      authorization: undefined,
      renew: async () => void (await this.open()),
    };
    this.#token = token;
    this.#kind = kind;
    this.#options = options;
    this.api = new ApiClient(new HttpRequests(this.#transport, this.#access, retryPolicy, runtime, options.onRetry));
  }

  /** Opens the link, as its receiver does with a click, and enters the passphrase and the code if they are required. */
  async open(): Promise<OpenedLink> {
    const begun = (await this.#continueSession()) ?? (await this.#beginSession());
    const opened = begun.passphrase_required ? await this.#enterPassphrase() : begun;
    if (opened.shared === 'named') await this.#enterCode(await this.#sendCodeToReceiver(), true);
    else if (opened.code) await this.#enterCode(opened.code, false);
    return opened;
  }

  async #enterPassphrase(): Promise<OpenedLink> {
    const { passphrase: askForPassphrase, signal } = this.#options;
    let problem: WaybillError | undefined;
    for (;;) {
      const entered = await askForPassphrase?.(problem);
      if (entered === undefined)
        throw new WaybillError('passphrase_required', 'A passphrase is required, which the sender knows.');
      try {
        return await this.api.post<OpenedLink>('passphrase', { passphrase: entered }, { signal });
      } catch (error) {
        if (!isWaybillError(error, 'wrong_passphrase', 'invalid_input')) throw error;
        problem = error;
      }
    }
  }

  async #continueSession(): Promise<OpenedLink | undefined> {
    const { signal, sessionStore } = this.#options;
    const session = sessionStore?.get();
    if (session === undefined) return undefined;
    this.#access.authorization = `Bearer ${session}`;
    try {
      return await this.#withoutRenewal(() => this.api.get<OpenedLink>('../link', {}, { signal }));
    } catch (error) {
      if (!isWaybillError(error, 'unauthorized')) throw error;
      return undefined;
    }
  }

  async #beginSession(): Promise<OpenedLink> {
    const { signal, sessionStore } = this.#options;
    this.#access.authorization = undefined;
    const session = await this.api.post<LinkSession>('open', { secret: this.#token, kind: this.#kind }, { signal });
    this.#access.authorization = `Bearer ${session.session}`;
    // With nothing to enter, whoever has the link can open it again.
    sessionStore?.set(session.code || session.passphrase_required ? session.session : undefined);
    return session;
  }

  async #withoutRenewal<T>(call: () => Promise<T>): Promise<T> {
    const { renew } = this.#access;
    this.#access.renew = undefined;
    try {
      return await call();
    } finally {
      this.#access.renew = renew;
    }
  }

  async #enterCode(required: LinkCode, isOfAll: boolean): Promise<void> {
    const { code: askForCode, signal } = this.#options;
    let question: CodeQuestion = { code: required };
    for (;;) {
      const { state } = question.code;
      if (state === 'expired' || state === 'too_many_tries') {
        question = { problem: question.problem, code: await this.#sendCode(isOfAll) };
      } else if (state === 'too_many_codes') {
        throw new WaybillError('too_many_codes', 'Too many codes were requested for this link.');
      }
      const entered = await askForCode?.(question);
      if (entered === undefined) throw new WaybillError('code_required', describeCode(question.code));
      try {
        if (entered === null) {
          question = { code: await this.#sendCode(isOfAll) };
          continue;
        }
        await this.api.post('code', { code: entered }, { signal });
        if (!isOfAll) return;
        // It is the receiver's own link now, which may require a code by SMS besides.
        const { code } = await this.api.get<OpenedLink>('../link', {}, { signal });
        if (code) await this.#enterCode(code, false);
        return;
      } catch (error) {
        if (!isWaybillError(error, 'wrong_code', 'code_expired', 'invalid_input')) throw error;
        const { code } = await this.api.get<OpenedLink>('../link', {}, { signal });
        // Another request with the code was faster.
        if (!code) return;
        question = { code, problem: error };
      }
    }
  }

  async #sendCode(isOfAll: boolean): Promise<LinkCode> {
    if (isOfAll) return await this.#sendCodeToReceiver();
    return await this.api.post<LinkCode>('code/send', undefined, { signal: this.#options.signal });
  }

  /** The server does not say whether the address is that of a receiver. */
  async #sendCodeToReceiver(): Promise<LinkCode> {
    const { receiver, signal } = this.#options;
    if (receiver === undefined)
      throw new WaybillError(
        'code_required',
        'This link is for several people: say which of them you are, by their address.',
      );
    await this.api.post('receiver', { email: receiver }, { signal });
    const { code } = await this.api.get<OpenedLink>('../link', {}, { signal });
    if (!code) throw new WaybillError('code_required', 'The link was opened by another request.');
    return { ...code, to: receiver };
  }

  /** Closes all connections. The session goes on for another process, if it is kept. */
  disconnect(): void {
    this.#transport.close();
  }

  /** Ends the session, so that its credential opens nothing any more, and closes all connections. */
  async close(): Promise<void> {
    if (this.#access.authorization !== undefined) {
      this.#access.renew = undefined;
      // The session ends by itself if it cannot be ended now.
      const call = { method: 'POST', path: 'close', read: async () => undefined } as const;
      await this.api.attempt({ ...call, signal: AbortSignal.timeout(closeMs) }).catch(() => undefined);
      this.#options.sessionStore?.set(undefined);
    }
    this.disconnect();
  }
}

/** A server that does not respond must not keep a command that is done. */
const closeMs = 5_000;

function describeCode({ channel, to }: LinkCode): string {
  return `A code is required, which was sent ${channel === 'sms' ? 'by SMS' : 'by mail'} to ${to}.`;
}
