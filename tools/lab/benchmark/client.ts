import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Account } from './release.ts';

const run = promisify(execFile);

export type SignedIn = Awaited<ReturnType<typeof signIn>>;

export async function signIn(baseUrl: string, { user, api_key: key }: Account) {
  const credentials = Buffer.from(`${user}:${key}`).toString('base64');
  const page = await fetch(`${baseUrl}/${user}/`, { headers: { authorization: `Basic ${credentials}` } });
  const token = /name="csrftoken" value="([^"]+)"/.exec(await page.text())?.[1];
  const headers = [`Authorization: Basic ${credentials}`, `CSRF-Token: ${token}`];
  const withHeaders = (...args: string[]) => curl(...headers.flatMap((header) => ['-H', header]), ...args);
  const bearer = ['-H', `Authorization: Bearer ${key}`];
  const uploads = `${baseUrl}/api/v1/uploads`;
  const cgi = (name: string) => `${baseUrl}/${user}/cgi/${name}`;
  return {
    headers,
    cgi,
    get: (name: string) => withHeaders(cgi(name)),
    post: (name: string, body: unknown) =>
      withHeaders('-H', 'Content-Type: application/json', '-d', JSON.stringify(body), cgi(name)),
    seconds: (...args: string[]) => seconds(...headers.flatMap((header) => ['-H', header]), ...args),
    /** Creates an upload by the tus protocol, and returns a function that sends a request to its address. */
    async createUpload(...args: string[]) {
      const response = await curl(
        ...bearer,
        ...args,
        '-X',
        'POST',
        '-o',
        '/dev/null',
        '-w',
        '%header{location}',
        uploads,
      );
      return (...more: string[]) => seconds(...bearer, ...more, new URL(response, baseUrl).href);
    },
  };
}

/** How long curl takes for a transfer. */
export async function seconds(...args: string[]): Promise<number> {
  return Number(await curl('-o', '/dev/null', '-w', '%{time_total}', ...args));
}

async function curl(...args: string[]): Promise<string> {
  try {
    return (await run('curl', ['-sSf', ...args])).stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    // Without the error itself: it contains the command, which contains credentials.
    // oxlint-disable-next-line preserve-caught-error
    throw new Error(stderr?.trim() ?? 'curl failed');
  }
}
