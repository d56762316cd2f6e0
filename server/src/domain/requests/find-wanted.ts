import type { Engines } from '../engines.ts';
import type { WantedFile } from '../files/wanted-files.ts';
import type { QueuedEntry } from '../inbox/inbox-store.ts';
import type { Link } from '../links/link-store.ts';
import type { WantedState } from './request-store.ts';

/** A wanted file, and whether the contact has sent one that they say is this one. */
export interface FoundFile extends WantedFile {
  readonly found: boolean;
}

/** The files that the contact of a link was asked for, and which of them they have sent. */
export async function findWantedThrough({ store }: Pick<Engines, 'store'>, link: Link): Promise<FoundFile[]> {
  if (link.wanted.length === 0) return [];
  return toFound(await store.requests.wantedThrough(link.accountId, link.dropId, link.position));
}

/** The same of the contact who sent an entry of the inbox; none if another account sent it. */
export async function findWantedOf(
  { store }: Pick<Engines, 'store'>,
  accountId: string,
  { requestId, dropId }: Pick<QueuedEntry, 'requestId' | 'dropId'>,
): Promise<FoundFile[]> {
  return requestId === null ? [] : toFound(await store.requests.wantedOf(accountId, dropId));
}

function toFound(state: WantedState | undefined): FoundFile[] {
  if (!state) return [];
  const found = new Set(state.found);
  return state.wanted.map((file, place) => ({ ...file, found: found.has(place) }));
}
