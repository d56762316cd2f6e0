import type { CallOptions, PostOptions } from './call-options.ts';
import { type Caller, pathTo } from './caller.ts';
import type { NewWebhook, Replay, WebhookAttempt, WebhookChanges, WebhookView, WebhookWithSecret } from './wire.ts';

/** Where the account's events are sent. */
export class Webhooks {
  readonly #caller: Caller;

  /** @internal */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** All of them, oldest first. */
  async list(options: CallOptions = {}): Promise<WebhookView[]> {
    return (await this.#caller.get<{ data: WebhookView[] }>('webhooks', {}, options)).data;
  }

  async get(id: string, options: CallOptions = {}): Promise<WebhookView> {
    return await this.#caller.get(pathTo('webhooks', id), {}, options);
  }

  async create(webhook: NewWebhook, options: PostOptions = {}): Promise<WebhookWithSecret> {
    return await this.#caller.post('webhooks', webhook, options);
  }

  async change(id: string, changes: WebhookChanges, options: CallOptions = {}): Promise<WebhookView> {
    return await this.#caller.patch(pathTo('webhooks', id), changes, options);
  }

  async remove(id: string, options: CallOptions = {}): Promise<void> {
    await this.#caller.delete(pathTo('webhooks', id), options);
  }

  /** Requests are signed with both secrets for a while: a day if not given. */
  async replaceSecret(
    id: string,
    { previousSeconds, ...options }: PostOptions & { previousSeconds?: number | undefined } = {},
  ): Promise<WebhookWithSecret> {
    return await this.#caller.post(
      pathTo('webhooks', id, 'replace_secret'),
      { previous_seconds: previousSeconds },
      options,
    );
  }

  /** Sends events to it again after it was disabled. */
  async enable(id: string, options: PostOptions = {}): Promise<WebhookView> {
    return await this.#caller.post(pathTo('webhooks', id, 'enable'), undefined, options);
  }

  /** Sends an event of the type `webhook.test`; `attempts` shows how that went. */
  async test(id: string, options: PostOptions = {}): Promise<{ event_id: string }> {
    return await this.#caller.post(pathTo('webhooks', id, 'test'), undefined, options);
  }

  /** Sends one event again, or all since a time. */
  async replay(id: string, what: Replay, options: PostOptions = {}): Promise<void> {
    await this.#caller.post(pathTo('webhooks', id, 'replay'), what, options);
  }

  /** The requests that were sent to it, newest first. */
  attempts(id: string, options: CallOptions = {}): AsyncGenerator<WebhookAttempt, void, void> {
    return this.#caller.list<WebhookAttempt>(pathTo('webhooks', id, 'attempts'), {}, options);
  }
}
