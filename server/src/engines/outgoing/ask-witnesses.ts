import type { Policy } from '@waybill/evidence';
import type { Witness, Witnesses } from '../../domain/ports/witnesses.ts';

const timeoutMs = 5_000;
/** Room for the signatures of a witness with several keys. */
const maxBytes = 64 * 1024;

/** Asks witnesses over HTTP (C2SP tlog-witness). Their addresses are the operator's own choice. */
export function askWitnesses({
  rules,
  policy,
}: {
  readonly rules: string;
  readonly policy: Policy | undefined;
}): Witnesses {
  const list: Witness[] = [...(policy?.witnesses ?? [])].map(([name, verifier]) => ({
    name,
    verifier,
    url: policy?.urls.get(verifier) ?? '',
  }));
  return {
    list,
    rules,
    async ask({ url }, body, signal) {
      try {
        const response = await fetch(`${url.replace(/\/+$/, '')}/add-checkpoint`, {
          method: 'POST',
          body,
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        return { status: response.status, body: await readBounded(response) };
      } catch (error) {
        signal.throwIfAborted();
        return { failure: describeFailure(error) };
      }
    },
  };
}

/** The cause of a failed `fetch`, which itself says only that it failed. */
function describeFailure(error: unknown): string {
  const { name, cause = error } = error as Error;
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1000} seconds`;
  const { message, code } = cause as Error & { code?: string };
  return message || code || 'no response';
}

async function readBounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > maxBytes) throw new RangeError('the response of a witness is too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
