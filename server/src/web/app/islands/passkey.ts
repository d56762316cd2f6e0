import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { explainFailure, RefusedError } from './passkey-failure.ts';

/** Signs in, or creates a passkey, by the button of the component PasskeyButton, whose attributes say where and how. */
class Passkey {
  readonly #host: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #registers: boolean;

  constructor(host: HTMLElement, button: HTMLButtonElement) {
    this.#host = host;
    this.#button = button;
    this.#registers = host.dataset['passkey'] === 'register';
  }

  listen(): void {
    this.#button.addEventListener('click', () => void this.#press());
    // A page from the browser's history would otherwise still be busy.
    addEventListener('pageshow', () => this.#show(false));
    if (this.#host.dataset['autofill'] !== undefined) void this.#offerAutofill();
  }

  async #press(): Promise<void> {
    if (this.#button.ariaBusy === 'true' || !this.#hasRequiredFields()) return;
    this.#show(true);
    try {
      if (!browserSupportsWebAuthn()) throw new DOMException('', 'NotSupportedError');
      await this.#finish(this.#registers ? await this.#register() : await this.#authenticate(false));
    } catch (error) {
      this.#show(false, error);
      if (this.#host.dataset['autofill'] !== undefined) void this.#offerAutofill();
    }
  }

  /** Lets the browser offer the passkeys where it offers passwords, until the button is pressed. */
  async #offerAutofill(): Promise<void> {
    try {
      if (!(await browserSupportsWebAuthnAutofill())) return;
      const response = await this.#authenticate(true);
      this.#show(true);
      await this.#finish(response);
    } catch (error) {
      // Nobody has asked for anything yet: only a refusal of a chosen passkey is worth a message.
      if (error instanceof RefusedError && this.#button.ariaBusy === 'true') this.#show(false, error);
    }
  }

  async #authenticate(useBrowserAutofill: boolean): Promise<AuthenticationResponseJSON> {
    const optionsJSON = await this.#post<PublicKeyCredentialRequestOptionsJSON>('options', {});
    return startAuthentication({ optionsJSON, useBrowserAutofill, verifyBrowserAutofillInput: false });
  }

  async #register(): Promise<RegistrationResponseJSON> {
    const optionsJSON = await this.#post<PublicKeyCredentialCreationOptionsJSON>('options', this.#readFields());
    return startRegistration({ optionsJSON });
  }

  async #finish(response: AuthenticationResponseJSON | RegistrationResponseJSON): Promise<void> {
    const { location: next } = await this.#post<{ location: string }>('result', { ...this.#readFields(), response });
    this.#goTo(next);
  }

  #goTo(path: string): void {
    const target = new URL(path, location.href);
    if (target.origin !== location.origin) throw new RefusedError();
    location.assign(target);
  }

  async #post<Reply>(route: 'options' | 'result', body: object): Promise<Reply> {
    const reply = await fetch(this.#host.dataset[route] ?? '', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'csrf-token': this.#host.dataset['csrf'] ?? '',
      },
      body: JSON.stringify(body),
    });
    if (reply.ok) return (await reply.json()) as Reply;
    const said: unknown = await reply.json().catch(() => undefined);
    // The person has to sign in again first.
    if (typeof said === 'object' && said !== null && 'location' in said && typeof said.location === 'string') {
      this.#goTo(said.location);
    }
    const message = typeof said === 'object' && said !== null && 'message' in said ? said.message : undefined;
    throw new RefusedError(typeof message === 'string' ? message : undefined);
  }

  /** The fields of the page that belong to the passkey: the name of a new person, or where to go next. */
  #readFields(): Record<string, string> {
    const { next } = this.#host.dataset;
    const form = this.#host.closest('form');
    const filled = form ? [...new FormData(form)] : [];
    const fields = filled.filter(([name]) => !['password', 'csrftoken', 'email'].includes(name));
    return Object.fromEntries([
      ...fields.map(([name, value]) => [name, typeof value === 'string' ? value : '']),
      ...(next === undefined ? [] : [['next', next]]),
    ]) as Record<string, string>;
  }

  #hasRequiredFields(): boolean {
    const inputs = this.#host.closest('form')?.querySelectorAll('input') ?? [];
    return [...inputs].every((input) => input.type === 'password' || input.reportValidity());
  }

  #show(isBusy: boolean, error?: unknown): void {
    this.#button.ariaBusy = isBusy ? 'true' : null;
    const text = this.#host.querySelector('[data-says]');
    const line = text?.parentElement;
    if (!text || !line) return;
    const failure = error === undefined ? undefined : explainFailure(error, navigator.onLine);
    text.textContent =
      failure === undefined ? '' : ((error as Partial<RefusedError>).said ?? this.#host.dataset[failure] ?? '');
    line.hidden = text.textContent === '';
  }
}

for (const host of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
  const button = host.querySelector('button');
  if (button) new Passkey(host, button).listen();
}
