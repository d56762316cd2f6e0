import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import { deriveKey } from '../derive-key.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/** A response that can be sent again. */
export interface RepeatableResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RepeatableRequest {
  /** The keys of one API have nothing to do with those of the others, or of the app's forms. */
  readonly api: 'machine' | 'v1' | 'app';
  readonly idempotencyKey: string;
  readonly digest: Buffer;
}

type Needs = Pick<Engines, 'store' | 'random' | 'checkpoint'> & { readonly pepper: Buffer };

const nonceBytes = 12;
const tagBytes = 16;
/**
 * The machine API has no response for a request whose first one is still in progress, and neither has a form whose button
 * was pressed twice: a repetition waits for its end.
 */
const ifInFlight = { machine: 'wait', v1: 'return', app: 'wait' } as const;
/** The limits per account. The oldest responses beyond them are deleted early. */
const storedResponseLimits = { count: limits.keptResponses, bytes: limits.keptResponseBytes };
const largeResponseBytes = 64 * 1024;

/**
 * Does the work of a request and stores its response in the same transaction: a repetition gets the first response,
 * even if nobody received it. The work must make its changes through the store that it is given. A request that failed
 * has changed nothing and may be tried again. Only the key that sent the first request gets the response, which may
 * contain data that another key of the account has no right to. If the response is always the same, `work` returns an
 * empty one, and nothing but the request is stored. Without a `request`, nothing is stored, and there is no transaction
 * but those of the work.
 */
export async function respondOnce<Response extends RepeatableResponse | Record<string, never>>(
  engines: Needs,
  caller: Actor,
  request: RepeatableRequest | undefined,
  work: (within: Pick<Engines, 'store'>) => Promise<Response>,
): Promise<Response & { readonly isRepeated: boolean }> {
  if (!request) return { ...(await work(engines)), isRepeated: false };
  const { store, random, checkpoint, pepper } = engines;
  const keyDigest = digestKey(engines, request);
  const seal = new ResponseSeal(pepper, caller.accountId, request.idempotencyKey);
  const response = await store.transaction(async (tx) => {
    const earlier = await tx.responses.reserve(caller.accountId, keyDigest, ifInFlight[request.api]);
    if (earlier === 'in_flight') throw new ExchangeError('request_in_flight');
    if (earlier) {
      requireSameKey(caller, earlier.keyId);
      if (!earlier.requestDigest.equals(request.digest)) throw new ExchangeError('idempotency_key_reused');
      const kept = (earlier.response ? seal.open(earlier.response) : {}) as Response;
      return { ...kept, isRepeated: true };
    }
    const first = await work({ store: tx });
    const sealed = 'status' in first ? seal.close(first as RepeatableResponse, random.bytes(nonceBytes)) : null;
    const stored = { requestDigest: request.digest, keyId: caller.author.id, response: sealed };
    await tx.responses.insert(caller.accountId, keyDigest, stored);
    if (sealed && isTurnToTrim(keyDigest, sealed)) await tx.responses.trim(caller.accountId, storedResponseLimits);
    return { ...first, isRepeated: false };
  });
  checkpoint('response:committed');
  return response;
}

/** Whether there is a response to a request with this key, so that its body need not be stored. */
export function hasResponse(
  engines: Pick<Needs, 'store' | 'pepper'>,
  { accountId }: Pick<Actor, 'accountId'>,
  request: Omit<RepeatableRequest, 'digest'>,
): Promise<boolean> {
  return engines.store.responses.exists(accountId, digestKey(engines, request));
}

function digestKey(
  { pepper }: Pick<Needs, 'pepper'>,
  { api, idempotencyKey }: Omit<RepeatableRequest, 'digest'>,
): Buffer {
  return createHmac('sha256', pepper).update(`idempotency ${api} ${idempotencyKey}`).digest();
}

/** The caller's key is part of what makes a request the same. */
function requireSameKey({ author }: Actor, firstKeyId: string): void {
  if (firstKeyId === author.id) return;
  throw new ExchangeError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another API key. Use the same API key, or a new Idempotency-Key.',
  );
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
    this.#key = deriveKey(pepper, `waybill answer ${idempotencyKey}`, accountId);
  }

  close(reply: RepeatableResponse, nonce: Buffer): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagBytes });
    return Buffer.concat([nonce, cipher.update(JSON.stringify(reply)), cipher.final(), cipher.getAuthTag()]);
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
