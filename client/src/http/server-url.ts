import { WaybillError } from '../errors.ts';

/** Parses the server's address. Throws if it is invalid, or if the key or the link must not be sent to it. */
export function parseServerUrl(address: string | URL, plainHttp: boolean, secret: 'API key' | 'link' = 'API key'): URL {
  const url = URL.parse(String(address));
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new WaybillError(
      'invalid_argument',
      `"${String(address)}" is not a server’s address. Use a URL such as https://files.example.org.`,
    );
  }
  const [, folder] = /^(.*)\/api\/v1\/*$/.exec(url.pathname) ?? [];
  if (folder !== undefined) {
    const server = `${url.origin}${folder}`;
    throw new WaybillError('invalid_argument', `The server’s address does not end in /api/v1. Use ${server} alone.`);
  }
  if (url.protocol === 'http:' && !plainHttp && !isLocalHost(url.hostname)) {
    throw new WaybillError(
      'invalid_argument',
      `http://${url.host} would send the ${secret} unencrypted. Use https://, or allow plain HTTP explicitly.`,
    );
  }
  return url;
}

function isLocalHost(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
