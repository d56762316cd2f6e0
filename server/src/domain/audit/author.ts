import type { Author, ByCommand } from './audit-store.ts';

/** An API key of the account with this address. */
export function keyAuthor(keyId: string, email: string, address?: string): Author {
  return { kind: 'key', id: keyId, name: email, address };
}

/** Someone who signed in, and where they are. */
export function personAuthor({ id, email }: { id: string; email: string }, address: string): Author {
  return { kind: 'person', id, name: email, address };
}

/**
 * Someone who came through a link, and where they are. Their name is not their mail address unless the change itself is to
 * name it.
 */
export function linkAuthor(
  { dropId, position, kind }: { dropId: string; position: number; kind?: string },
  address: string | undefined,
  name = kind === undefined || kind === 'receiver' ? 'receiver' : 'somebody with the link',
): Author {
  return { kind: 'link', id: `${dropId}:${position}`, name, address };
}

/** The user who ran a command, and the one who became this user by `sudo`, if any. */
export function commandAuthor({ user, sudoUser }: { user: string; sudoUser?: string | undefined }) {
  const id = sudoUser === undefined || sudoUser === user ? user : `${sudoUser} as ${user}`;
  return { kind: 'command', id, name: 'admin' } satisfies ByCommand['administrator'];
}

/** The address is that of the request which the server records something about, if there is one. */
export function systemAuthor(part: 'sweep' | 'server' | 'mail server', address?: string): Author {
  return { kind: 'system', id: part, name: part, address };
}
