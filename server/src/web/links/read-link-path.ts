/** A link as mails contain it: the host with or without the scheme, and a path with up to a whole token. */
const pattern = /(?:https?:\/\/)?([a-z0-9.:[\]-]+)?(\/(?:d|u|m|sign-in\/link)\/[\w-]{1,43})/gi;

/**
 * Finds the path of a link of one of these hosts in a text that was copied from a mail: broken into lines, in brackets, or
 * inside the address of a mail filter, which contains the real one.
 */
export function readLinkPath(text: string, hosts: readonly string[]): string | undefined {
  const joined = text.replaceAll(/[\s\u200b\u00ad]+/g, '');
  for (const candidate of [joined, decode(joined)]) {
    for (const [, host, path] of candidate.matchAll(pattern)) {
      if (host === undefined ? candidate.startsWith('/') : hosts.includes(host.toLowerCase())) return path;
    }
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
