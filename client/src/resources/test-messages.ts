import type { CallOptions } from '../call-options.ts';
import { WaybillError } from '../errors.ts';
import type { ListTestMessagesQuery, TestMessage } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { maxWaitSeconds } from './events.ts';

/** Filters kept messages; all are listed by default. */
export interface TestMessageFilter extends Omit<ListTestMessagesQuery, 'limit' | 'cursor' | 'wait'>, CallOptions {}

/** Which kept message to wait for, and how long. */
export interface TestMessageWait extends TestMessageFilter {
  /** How long to wait, in seconds; 60 if not given. */
  timeoutSeconds?: number | undefined;
}

/** The mails and SMS of a test account, which are kept instead of sent. Needs a test key. */
export class TestMessages {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists kept messages, the newest first. */
  list({ signal, ...filter }: TestMessageFilter = {}): AsyncGenerator<TestMessage, void, void> {
    return this.#api.list<TestMessage>('test/messages', filter, { signal });
  }

  /** Returns the newest message, or waits for one. Undefined if the time runs out. */
  async wait({ signal, timeoutSeconds = 60, ...filter }: TestMessageWait = {}): Promise<TestMessage | undefined> {
    if (!(timeoutSeconds >= 0)) throw new WaybillError('invalid_argument', 'The time to wait must not be negative.');
    const end = this.#api.runtime.now() + timeoutSeconds * 1000;
    for (;;) {
      const left = Math.max(0, Math.ceil((end - this.#api.runtime.now()) / 1000));
      const query = { ...filter, limit: 1, wait: Math.min(left, maxWaitSeconds) };
      const { data } = await this.#api.get<{ data: TestMessage[] }>('test/messages', query, { signal });
      if (data[0] || left === 0) return data[0];
    }
  }
}
