import type { Actor } from '../src/domain/actor.ts';
import { prepareDrop } from '../src/domain/drops/send-drop.ts';
import type { Store } from '../src/domain/store.ts';
import type { TestExchange } from './exchange.ts';

const daySeconds = 86_400;

/** Sends uploads, and files of other drops again, to one receiver without a mail. Returns the id of the drop. */
export async function sendDrop(
  { engines }: Pick<TestExchange, 'engines'>,
  account: Actor,
  { uploads = [], sentFiles = [], days = 7 }: { uploads?: string[]; sentFiles?: string[]; days?: number },
  within: { readonly store: Store } = engines,
): Promise<string> {
  const make = await prepareDrop(engines, account, {
    uploads,
    sentFiles,
    receivers: [{ email: 'r@example.org' }],
    title: null,
    message: 'x',
    expiresIn: days * daySeconds,
    expiresAt: undefined,
    notify: false,
    secondFactor: null,
    externalId: null,
    metadata: null,
  });
  return (await make(within)).id;
}
