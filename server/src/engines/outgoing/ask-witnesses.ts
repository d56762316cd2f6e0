import type { Policy } from '@waybill/evidence';
import type { Witness, Witnesses } from '../../domain/ports/witnesses.ts';
import { describeFailure, readBounded } from './fetch-bounded.ts';

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
        return { status: response.status, body: (await readBounded(response, maxBytes)).toString('utf8') };
      } catch (error) {
        signal.throwIfAborted();
        return { failure: describeFailure(error, timeoutMs) };
      }
    },
  };
}
