import type { PlainFile } from '../components/plain-files.tsx';

/** What came of sending: the files that were sent, or why none were. */
export type Sending = { readonly files: readonly PlainFile[] } | 'not_ready' | 'ended' | 'failed';

export async function sendFiles(action: string, message: string, send: typeof fetch = fetch): Promise<Sending> {
  try {
    const answer = await send(action, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ message }),
    });
    if (answer.ok) return (await answer.json()) as { files: PlainFile[] };
    if (answer.status === 410) return 'ended';
    const { code } = (await answer.json()) as { code?: unknown };
    return answer.status === 409 && code === 'files_not_ready' ? 'not_ready' : 'failed';
  } catch {
    return 'failed';
  }
}
