import { responseDeadlineMs } from '../../../shared/islands/server-files.ts';

/** The result of posting the composer's form. */
export type Posted =
  | { readonly kind: 'sent'; readonly location: string }
  /** With another id for the request, if this one was used up by an earlier one. */
  | {
      readonly kind: 'refused';
      readonly message: string;
      readonly field: string | undefined;
      /** The faults of single people, by address. */
      readonly people?: Readonly<Record<string, string>>;
      readonly requestId?: string;
    }
  /** The browser has to sign in, or to get another token, before the same request can be repeated. */
  | { readonly kind: 'signed_out' | 'form_expired' }
  | { readonly kind: 'not_ready' }
  /** There was no valid response: the form may have been sent, and is posted again with the same id. */
  | { readonly kind: 'unreachable' };

/** Responses after which the same request may succeed. */
const passing = new Set([408, 429]);

/** Posts the form with the ids of its uploads instead of the files themselves. */
export async function postComposer(
  form: HTMLFormElement,
  uploadIds: readonly string[],
  send: typeof fetch = fetch,
): Promise<Posted> {
  const body = new FormData(form);
  body.delete('files');
  body.delete('upload');
  body.append('upload', uploadIds.join(' '));
  try {
    const signal = AbortSignal.timeout(responseDeadlineMs);
    const request = { method: 'POST', body, headers: { accept: 'application/json' }, signal };
    return await readPosted(await send(form.action, request));
  } catch {
    return { kind: 'unreachable' };
  }
}

/** Reads a response; some other page, such as a hotel's page that asks for a password, is not a valid one. */
export async function readPosted(response: Response): Promise<Posted> {
  const { status } = response;
  if (status >= 500 || passing.has(status)) return { kind: 'unreachable' };
  const {
    location,
    code,
    message,
    field,
    people,
    request_id: requestId,
  } = (await response.json()) as Record<string, unknown>;
  if (response.ok) return typeof location === 'string' ? { kind: 'sent', location } : { kind: 'unreachable' };
  if (code === 'sign_in_required' || status === 401) return { kind: 'signed_out' };
  if (code === 'form_expired') return { kind: 'form_expired' };
  if (code === 'files_not_ready') return { kind: 'not_ready' };
  if (typeof message !== 'string') return { kind: 'unreachable' };
  return {
    kind: 'refused',
    message,
    field: typeof field === 'string' ? field : undefined,
    ...(isRecord(people) && { people: people as Record<string, string> }),
    ...(typeof requestId === 'string' && { requestId }),
  };
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;
