import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireSameKey } from './require-same-key.ts';

/** What a caller gets, as it can be given again. */
export interface RepeatableResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Needs = Pick<Engines, 'store' | 'random' | 'checkpoint'> & { readonly pepper: Buffer };

const nonceBytes = 12;
const tagBytes = 16;
/** Of one account. Older answers are forgotten before their time. */
const keptAnswers = { count: limits.keptResponses, bytes: limits.keptResponseBytes };
const largeAnswerBytes = 64 * 1024;

/**
 * Does the work of a request and keeps its answer in the same transaction: a repetition gets the first answer, even if
 * nobody received it. What the work changes, it must change through the store that it is given. A request that failed
 * has changed nothing and may be tried again. The answer is given only to the key that asked first: it may contain what
 * another key of the account has no right to.
 */
export async function respondOnce(
  engines: Needs,
  caller: Actor,
  request: { readonly idempotencyKey: string; readonly digest: Buffer },
  work: (store: Engines['store']) => Promise<RepeatableResponse>,
): Promise<RepeatableResponse & { readonly isRepeated: boolean }> {
  const { store, random, checkpoint, pepper } = engines;
  const keyDigest = digestKey(engines, request.idempotencyKey);
  const seal = new AnswerSeal(pepper, caller.accountId, request.idempotencyKey);
  const given = await store.transaction(async (tx) => {
    const earlier = await tx.answers.reserve(caller.accountId, keyDigest);
    if (earlier === 'in_flight') throw new ExchangeError('request_in_flight');
    if (earlier) {
      requireSameKey(caller, earlier.keyId);
      if (!earlier.requestDigest.equals(request.digest)) throw new ExchangeError('idempotency_key_reused');
      return { ...seal.open(earlier.answer), isRepeated: true };
    }
    const answer = await work(tx);
    const sealed = seal.close(answer, random.bytes(nonceBytes));
    const stored = { requestDigest: request.digest, keyId: caller.key.id, answer: sealed };
    await tx.answers.insert(caller.accountId, keyDigest, stored);
    if (isTurnToTrim(keyDigest, sealed)) await tx.answers.trim(caller.accountId, keptAnswers);
    return { ...answer, isRepeated: false };
  });
  checkpoint('answer:committed');
  return given;
}

/** Whether a request with this key was answered before, so that its body need not be stored. */
export function hasResponse(
  engines: Pick<Needs, 'store' | 'pepper'>,
  { accountId }: Pick<Actor, 'accountId'>,
  idempotencyKey: string,
): Promise<boolean> {
  return engines.store.answers.exists(accountId, digestKey(engines, idempotencyKey));
}

function digestKey({ pepper }: Pick<Needs, 'pepper'>, idempotencyKey: string): Buffer {
  return createHmac('sha256', pepper).update(`idempotency ${idempotencyKey}`).digest();
}

/** Trimming reads all answers of the account, so that one request in 256 does it, and each one whose answer is large. */
function isTurnToTrim(keyDigest: Buffer, sealed: Buffer): boolean {
  return keyDigest[0] === 0 || sealed.length > largeAnswerBytes;
}

/**
 * An answer may contain what is stored nowhere else, such as a new key. Only who knows the Idempotency-Key can open it,
 * and only with the pepper: the database alone is not enough.
 */
class AnswerSeal {
  readonly #key: Buffer;

  constructor(pepper: Buffer, accountId: string, idempotencyKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', pepper, accountId, `waybill answer ${idempotencyKey}`, 32));
  }

  close(answer: RepeatableResponse, nonce: Buffer): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagBytes });
    return Buffer.concat([nonce, cipher.update(JSON.stringify(answer)), cipher.final(), cipher.getAuthTag()]);
  }

  open(sealed: Buffer): RepeatableResponse {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    const plaintext = [decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()];
    return JSON.parse(Buffer.concat(plaintext).toString()) as RepeatableResponse;
  }
}
