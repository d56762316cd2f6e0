import type { Actor } from '../actor.ts';
import type { Author, ByCommand } from './audit-store.ts';

export function keyAuthor({ key, email }: Actor): Author {
  return { kind: 'key', id: key.id, name: email };
}

/** Someone who came through a link. Their name is not their address unless the change itself is to name it. */
export function linkAuthor({ dropId, position }: { dropId: string; position: number }, name = 'receiver'): Author {
  return { kind: 'link', id: `${dropId}:${position}`, name };
}

/** The user who ran a command, and the one who became this user by `sudo`, if any. */
export function commandAuthor({ user, sudoUser }: { user: string; sudoUser?: string | undefined }) {
  const id = sudoUser === undefined || sudoUser === user ? user : `${sudoUser} as ${user}`;
  return { kind: 'command', id, name: 'admin' } satisfies ByCommand['administrator'];
}

export function systemAuthor(part: 'sweep' | 'server' | 'mail server'): Author {
  return { kind: 'system', id: part, name: part };
}
