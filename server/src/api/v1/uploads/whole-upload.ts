import { createHash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { parse } from 'content-disposition';
import type { FastifyRequest } from 'fastify';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import type { Actor } from '../../../domain/actor.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { hasResponse, type RepeatableResponse, respondOnce } from '../../../domain/idempotency/respond-once.ts';
import { findUploads, uploadOwner } from '../../../domain/uploads/account-upload.ts';
import { noDigests } from '../../../domain/uploads/declared-digests.ts';
import { abandonUploads, completeUploads, stageUpload } from '../../../domain/uploads/stage-upload.ts';
import type { AccountUpload } from '../../../domain/uploads/upload-store.ts';
import { readUnquotedIdempotencyKey } from '../../../http/shared/idempotency-key.ts';
import { refuseWholeFile } from '../../../http/shared/whole-file.ts';
import { readBody } from '../../../http/transfer/read-body.ts';
import { notifyOnStart } from '../../../http/transfer/receive-files.ts';
import { readReprDigest } from '../../../http/transfer/repr-digest.ts';
import { readContentLength } from '../../../http/transfer/tus.ts';
import type { V1Engines } from '../route.ts';

/** Receives a small file as the body of one request. */
export async function receiveWhole(
  engines: V1Engines,
  caller: Actor,
  { request, revoked }: { readonly request: FastifyRequest; readonly revoked: AbortSignal },
  response: (upload: AccountUpload) => RepeatableResponse,
): Promise<RepeatableResponse> {
  if (request.headers['upload-length'] !== undefined) {
    throw new ExchangeError(
      'malformed_request',
      'An upload in parts needs the header `Tus-Resumable: 1.0.0`, in each of its requests.',
    );
  }
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0] as string;
  if (/^multipart\//i.test(mediaType)) {
    throw new ExchangeError('unsupported_media_type', 'Send the file itself as the body, not a form.');
  }
  const named = nameIn(request.headers['content-disposition']);
  const declared = readReprDigest(request.headers['repr-digest']) ?? noDigests;
  const idempotencyKey = readUnquotedIdempotencyKey(request);
  const toRepeatable = (key: string, sha256: Buffer) => {
    const content = JSON.stringify(['whole upload', named, mediaType, sha256.toString('hex')]);
    return { api: 'v1', idempotencyKey: key, digest: createHash('sha256').update(content).digest() } as const;
  };
  if (idempotencyKey !== undefined && (await hasResponse(engines, caller, { api: 'v1', idempotencyKey }))) {
    // The account may have no space left for a second copy.
    const hash = createHash('sha256');
    for await (const bytes of readFile(request)) {
      revoked.throwIfAborted();
      hash.update(bytes);
    }
    revoked.throwIfAborted();
    return respondOnce(engines, caller, toRepeatable(idempotencyKey, hash.digest()), async () => {
      // The first response has been purged meanwhile.
      throw new ExchangeError('request_in_flight');
    });
  }
  const policy = await readPolicy(engines, caller.accountId);
  const id = engines.random.uuid();
  const owner = uploadOwner(caller, id);
  const bytes = readFile(request);
  const reservedBytes = readContentLength(request);
  const { transferLanes } = request;
  const staged = await transferLanes.beginning.run(({ release }) =>
    stageUpload({ ...engines, policy }, owner, {
      ...named,
      id,
      mediaType,
      declared,
      bytes: notifyOnStart(bytes, () => release('succeeded')),
      reservedBytes,
      revoked,
    }),
  );
  const complete = async (within: Pick<V1Engines, 'store'>) => {
    await completeUploads({ ...engines, ...within }, owner, [staged]);
    return response(await findUpload(within, caller, id));
  };
  try {
    const repeatable = idempotencyKey === undefined ? undefined : toRepeatable(idempotencyKey, staged.sha256);
    const given = await transferLanes.ending.run(() => respondOnce(engines, caller, repeatable, complete));
    if (given.isRepeated) await abandonUploads(engines, [staged]);
    return given;
  } catch (error) {
    await abandonUploads(engines, [staged]);
    throw error;
  }
}

export async function findUpload(engines: Pick<V1Engines, 'store'>, caller: Actor, id: string): Promise<AccountUpload> {
  const [upload] = await findUploads(engines, caller, [id]);
  if (!upload) throw new ExchangeError('not_found');
  return upload;
}

/**
 * Reads the file name from Content-Disposition (RFC 6266). It may be confidential, so it does not belong in the URL,
 * which proxies log.
 */
function nameIn(header: string | undefined): { readonly name: string; readonly path: string } {
  const filename = /^[\x20-\x7e]+$/.test(header ?? '') ? parse(header as string).parameters['filename'] : undefined;
  if (filename === undefined) {
    throw new ExchangeError(
      'malformed_request',
      'Name the file: Content-Disposition: attachment; filename="…", or filename*=UTF-8\'\'… if the name is not ASCII.',
    );
  }
  return { name: filename.slice(filename.lastIndexOf('/') + 1), path: filename };
}

async function* readFile(request: FastifyRequest): AsyncGenerator<Buffer, void, void> {
  let received = 0;
  for await (const bytes of readBody(request)) {
    received += bytes.length;
    if (received > limits.wholeUploadBytes) throw refuseWholeFile();
    yield bytes;
  }
}
