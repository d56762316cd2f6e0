import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireSameKey } from './require-same-key.ts';

/** A response that can be sent again. */
export interface RepeatableResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Needs = Pick<Engines, 'store' | 'random' | 'checkpoint'> & { readonly pepper: Buffer };

const nonceBytes = 12;
const tagBytes = 16;
/** The limits per account. The oldest responses beyond them are deleted early. */
const storedResponseLimits = { count: limits.keptResponses, bytes: limits.keptResponseBytes };
const largeResponseBytes = 64 * 1024;

/**
 * Does the work of a request and stores its response in the same transaction: a repetition gets the first response,
 * even if nobody received it. The work must make its changes through the store that it is given. A request that failed
 * has changed nothing and may be tried again. Only the key that sent the first request gets the response, which may
 * contain data that another key of the account has no right to.
 */
export async function respondOnce(
  engines: Needs,
  caller: Actor,
  request: { readonly idempotencyKey: string; readonly digest: Buffer },
  work: (store: Engines['store']) => Promise<RepeatableResponse>,
): Promise<RepeatableResponse & { readonly isRepeated: boolean }> {
  const { store, random, checkpoint, pepper } = engines;
  const keyDigest = digestKey(engines, request.idempotencyKey);
  const seal = new ResponseSeal(pepper, caller.accountId, request.idempotencyKey);
  const response = await store.transaction(async (tx) => {
    const earlier = await tx.answers.reserve(caller.accountId, keyDigest);
    if (earlier === 'in_flight') throw new ExchangeError('request_in_flight');
    if (earlier) {
      requireSameKey(caller, earlier.keyId);
      if (!earlier.requestDigest.equals(request.digest)) throw new ExchangeError('idempotency_key_reused');
      return { ...seal.open(earlier.answer), isRepeated: true };
    }
    const first = await work(tx);
    const sealed = seal.close(first, random.bytes(nonceBytes));
    const stored = { requestDigest: request.digest, keyId: caller.key.id, answer: sealed };
    await tx.answers.insert(caller.accountId, keyDigest, stored);
    if (isTurnToTrim(keyDigest, sealed)) await tx.answers.trim(caller.accountId, storedResponseLimits);
    return { ...first, isRepeated: false };
  });
  checkpoint('answer:committed');
  return response;
}

/** Whether there is a response to a request with this key, so that its body need not be stored. */
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

/** Trimming reads all responses of the account: one request in 256 does it, and each one with a large response. */
function isTurnToTrim(keyDigest: Buffer, sealed: Buffer): boolean {
  return keyDigest[0] === 0 || sealed.length > largeResponseBytes;
}

/**
 * A response may contain a secret that is stored nowhere else, such as a new key. Opening it takes the Idempotency-Key
 * and the pepper: the database alone is not enough.
 */
class ResponseSeal {
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
