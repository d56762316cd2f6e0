import type { Actor } from '../src/domain/actor.ts';
import { prepareSharedLink } from '../src/domain/drops/shared-links.ts';
import { type SharedLinkInput } from '../src/domain/drops/write-shared-link.ts';
import type { TestExchange } from './exchange.ts';

export interface TestSharedLink {
  readonly sender: Actor;
  readonly dropId: string;
  readonly token: string;
  readonly position: number;
}

/** A drop of these files, and a shared link of it. */
export async function sharedLink(
  exchange: TestExchange,
  files: readonly string[],
  {
    receivers = ['r@example.org'],
    ...input
  }: Partial<SharedLinkInput> & { readonly receivers?: readonly string[] } = {},
): Promise<TestSharedLink> {
  const sender = await exchange.account(...receivers);
  const dropId = await exchange.drop(sender, receivers, files);
  return { sender, dropId, ...(await addSharedLink(exchange, sender, dropId, input)) };
}

export async function addSharedLink(
  { engines }: TestExchange,
  sender: Actor,
  dropId: string,
  input: Partial<SharedLinkInput> = {},
): Promise<{ readonly token: string; readonly position: number }> {
  const make = await prepareSharedLink(engines, sender, dropId, { kind: 'anybody', maxDownloads: null, ...input });
  const { token, link } = await make(engines, undefined);
  return { token, position: link.position };
}
