import { WaybillError } from '../errors.ts';
import { parseServerUrl } from '../http/server-url.ts';

/** A link of a mail, in its parts. */
export interface ParsedLink {
  /** The address of the server. */
  server: URL;
  kind: 'download' | 'upload';
  token: string;
}

const kinds = { d: 'download', u: 'upload' } as const;
/** Other pages of a server, which a person may take for a link. */
const otherPages: Readonly<Record<string, string>> = {
  m: 'This link stops the mails of a sender. Use the link to the files, which is further up in the mail.',
  to: 'This is the public page of an account. Open it in a browser to ask for a link.',
  download: 'This is the address of a page that a browser has opened. Use the link in the mail.',
  upload: 'This is the address of a page that a browser has opened. Use the link in the mail.',
  verify: 'This page verifies receipts. Use the link in the mail.',
  app: 'This is a page for people with an account. Use the link in the mail.',
};

/** Throws an error that says what else the address is. The link itself is not repeated: it is a secret. */
export function parseLink(link: string | URL, plainHttp: boolean): ParsedLink {
  const text = String(link).trim();
  // Some mail programs put a link between these.
  const url = URL.parse(text.replace(/^<(.*)>$/, '$1'));
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') throw notALink('This is not a link.');
  const [, base = '', page = '', rest = ''] = /^(.*?)\/([^/]+)(?:\/([^/]*))?\/*$/.exec(url.pathname) ?? [];
  const kind = Object.hasOwn(kinds, page) ? kinds[page as keyof typeof kinds] : undefined;
  if (kind === undefined) {
    const first = url.pathname.split('/').find((part) => Object.hasOwn(otherPages, part));
    throw notALink(otherPages[first ?? ''] ?? 'This address is not a link to files, or to a page for sending files.');
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(rest)) throw notALink('The link is not complete.');
  const server = parseServerUrl(new URL(`${base}/`, url.origin), plainHttp, 'link');
  return { server, kind, token: rest };
}

function notALink(problem: string): WaybillError {
  const advice = problem.includes('. ')
    ? ''
    : ' Copy it from the mail, such as https://files.example.org/d/ and the 43 characters after it.';
  return new WaybillError('invalid_argument', `${problem}${advice}`);
}
