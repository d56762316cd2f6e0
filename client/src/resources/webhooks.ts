import type { CallOptions, PostOptions } from '../call-options.ts';
import type {
  NewWebhook,
  Replay,
  ReplayedEvents,
  Webhook,
  WebhookAttempt,
  WebhookChanges,
  WebhookWithSecret,
} from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';

/** How long the previous secret is still used. */
export interface ReplaceSecretOptions extends PostOptions {
  /** For how many seconds requests are signed with both secrets. Defaults to a day. */
  previousSeconds?: number | undefined;
}

/** The webhooks of the account. */
export class Webhooks {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists all webhooks, oldest first. */
  async list(options: CallOptions = {}): Promise<Webhook[]> {
    return (await this.#api.get<{ data: Webhook[] }>('webhooks', {}, options)).data;
  }

  /**
   * Gets a webhook.
   *
   * @param id The webhook's id.
   */
  async get(id: string, options: CallOptions = {}): Promise<Webhook> {
    return await this.#api.get(toPath('webhooks', id), {}, options);
  }

  /** Creates a webhook. Only this response and that of `replaceSecret` contain its secret. */
  async create(webhook: NewWebhook, options: PostOptions = {}): Promise<WebhookWithSecret> {
    return await this.#api.post('webhooks', webhook, options);
  }

  /**
   * Changes a webhook: fields that are given are replaced, all others stay.
   *
   * @param id The webhook's id.
   */
  async change(id: string, changes: WebhookChanges, options: CallOptions = {}): Promise<Webhook> {
    return await this.#api.patch(toPath('webhooks', id), changes, options);
  }

  /**
   * Deletes a webhook. No more events are sent to it.
   *
   * @param id The webhook's id.
   */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.delete(toPath('webhooks', id), options);
  }

  /**
   * Replaces the secret of a webhook. For some time, requests are signed with both secrets.
   *
   * @param id The webhook's id.
   */
  async replaceSecret(
    id: string,
    { previousSeconds, ...options }: ReplaceSecretOptions = {},
  ): Promise<WebhookWithSecret> {
    return await this.#api.post(
      toPath('webhooks', id, 'replace_secret'),
      { previous_seconds: previousSeconds },
      options,
    );
  }

  /**
   * Enables a webhook that was disabled.
   *
   * @param id The webhook's id.
   */
  async enable(id: string, options: PostOptions = {}): Promise<Webhook> {
    return await this.#api.post(toPath('webhooks', id, 'enable'), undefined, options);
  }

  /**
   * Disables a webhook: nothing is sent to it until it is enabled again.
   *
   * @param id The webhook's id.
   */
  async disable(id: string, options: PostOptions = {}): Promise<Webhook> {
    return await this.#api.post(toPath('webhooks', id, 'disable'), undefined, options);
  }

  /**
   * Sends an event of the type `webhook.test` to a webhook. `attempts` lists the outcome.
   *
   * @param id The webhook's id.
   * @returns The id of the event.
   */
  async test(id: string, options: PostOptions = {}): Promise<{ event_id: string }> {
    return await this.#api.post(toPath('webhooks', id, 'test'), undefined, options);
  }

  /**
   * Sends one event again, or all events since a time.
   *
   * @param id The webhook's id.
   * @returns How many events.
   */
  async replay(id: string, what: Replay, options: PostOptions = {}): Promise<ReplayedEvents> {
    return await this.#api.post(toPath('webhooks', id, 'replay'), what, options);
  }

  /**
   * Lists the requests that were sent to a webhook, newest first.
   *
   * @param id The webhook's id.
   */
  attempts(id: string, options: CallOptions = {}): AsyncGenerator<WebhookAttempt, void, void> {
    return this.#api.list<WebhookAttempt>(toPath('webhooks', id, 'attempts'), {}, options);
  }
}
