import { responseDeadlineMs } from './server-files.ts';

/** The result of sending, with the reason if nothing was sent. */
export type Sending = 'sent' | 'not_ready' | 'ended' | 'unreachable' | 'failed';

/** Which of the wanted files of a request an uploaded file is. */
export interface WantedUpload {
  readonly id: string;
  readonly number: number;
}

export async function sendFiles(
  action: string,
  message: string,
  wanted: readonly WantedUpload[] = [],
  send: typeof fetch = fetch,
): Promise<Sending> {
  try {
    const response = await send(action, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(wanted.length === 0 ? { message } : { message, wanted }),
      signal: AbortSignal.timeout(responseDeadlineMs),
    });
    // Some other page, such as a hotel's page that asks for a password, is not a valid response.
    if (response.ok)
      return Array.isArray(((await response.json()) as { files?: unknown }).files) ? 'sent' : 'unreachable';
    if (response.status === 410) return 'ended';
    if (response.status >= 500) return 'unreachable';
    const { code } = (await response.json()) as { code?: unknown };
    return response.status === 409 && code === 'files_not_ready' ? 'not_ready' : 'failed';
  } catch {
    return 'unreachable';
  }
}
