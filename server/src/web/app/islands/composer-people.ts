import type { KnownGroup, KnownReceiver } from '../../../domain/contacts/contact-store.ts';
import type { UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
export interface Suggestions {
  readonly people: readonly KnownReceiver[];
  readonly groups: readonly KnownGroup[];
}

export interface PeopleService {
  suggest(text: string, signal: AbortSignal): Promise<Suggestions>;
  /** Returns undefined without a response. */
  membersOf(group: string): Promise<readonly KnownReceiver[] | undefined>;
  understand(text: string): Promise<UnderstoodReceivers>;
}

/** "Send" waits for the response. */
const responseWithinMs = 10_000;

/** Asks the server. Without a response, what is typed is taken as it is: the server checks it when it is sent. */
export function peopleService(href: string, csrf: () => string): PeopleService {
  const get = async (query: Record<string, string>, signal?: AbortSignal) => {
    const response = await fetch(`${href}?${new URLSearchParams(query)}`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([AbortSignal.timeout(responseWithinMs), ...(signal ? [signal] : [])]),
    });
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()) as Suggestions;
  };
  return {
    suggest: (text, signal) => get({ q: text }, signal).catch(() => ({ people: [], groups: [] })),
    membersOf: (group) =>
      get({ group }).then(
        ({ people }) => people,
        () => undefined,
      ),
    async understand(text) {
      try {
        const response = await fetch(href, {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json', 'csrf-token': csrf() },
          body: JSON.stringify({ text }),
          signal: AbortSignal.timeout(responseWithinMs),
        });
        if (response.ok) return (await response.json()) as UnderstoodReceivers;
      } catch {
        // No network.
      }
      return parseReceiversOffline(text);
    },
  };
}

/** Recognises addresses, roughly; anything else is not readable. */
export function parseReceiversOffline(text: string): UnderstoodReceivers {
  const receivers = new Map<string, KnownReceiver>();
  const unreadable: string[] = [];
  for (const piece of text.split(/[\n;,]+/)) {
    const written = piece.trim();
    if (written === '') continue;
    const [, name = '', bracketed] = /^"?([^<>"]*?)"?\s*<([^<>]+)>$/.exec(written) ?? [];
    const email = (bracketed ?? written).trim().toLowerCase();
    if (isAddress(email)) receivers.set(email, { email, name, hasPhone: false });
    else unreadable.push(written);
  }
  return { receivers: [...receivers.values()], repeated: [], unreadable, nearMisses: [] };
}

export function isAddress(text: string): boolean {
  return /^[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;.]{2,}$/.test(text);
}

/** Says what an address lacks, as far as one can see it. */
export function findAddressFault(text: string): 'noAt' | 'noEnding' | 'other' {
  const at = text.lastIndexOf('@');
  if (at < 0) return 'noAt';
  const domain = text.slice(at + 1);
  return at > 0 && domain !== '' && !/\.[^.\s]{2,}$/.test(domain) && !/\s/.test(text) ? 'noEnding' : 'other';
}

export function isList(text: string): boolean {
  return /[\n,;]/.test(text.trim()) || text.split('@').length > 2;
}

/** Writes receivers as the form sends them: one in a line. */
export function writeReceivers(receivers: readonly Pick<KnownReceiver, 'email' | 'name'>[]): string {
  return receivers
    .map(({ email, name }) => {
      const plain = name.replaceAll(/["<>\s]+/g, ' ').trim();
      return plain === '' ? email : `"${plain}" <${email}>`;
    })
    .join('\n');
}

export function findDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}
