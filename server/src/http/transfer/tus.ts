import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { Random } from '../../domain/ports/random.ts';
import { ClientGone } from './client-gone.ts';
import { readBody } from './read-body.ts';
import type { ResumableUpload, ResumableUploads } from './resumable-uploads.ts';

export const tusType = 'application/offset+octet-stream';
const version = '1.0.0';

export interface TusEndpoint {
  /** The path at which uploads are created; each is one segment below it. */
  readonly path: string;
  readonly uploads: ResumableUploads;
  readonly maxFileBytes: number;
  readonly random: Random;
  /** For how long after its latest request an upload can be continued, if clients are told. */
  readonly resumeSeconds?: number;
}

/**
 * Responds by the tus protocol, version 1.0.0 (https://tus.io/protocols/resumable-upload), with the extensions creation,
 * creation-with-upload, termination and expiration.
 */
export async function handleTus(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: TusEndpoint,
): Promise<FastifyReply> {
  reply.header('tus-resumable', version);
  if (request.method === 'OPTIONS') return describeServer(reply, endpoint);
  if (request.headers['tus-resumable'] !== version) {
    reply.header('tus-version', version);
    throw new ExchangeError(
      'precondition_failed',
      `Send the header \`Tus-Resumable: ${version}\`, in each request of the upload.`,
    );
  }
  if (request.method === 'POST') return createUpload(request, reply, endpoint);
  const { id } = request.params as { id: string };
  if (request.method === 'HEAD') return describeUpload(reply, await endpoint.uploads.find(id));
  if (request.method === 'PATCH') return continueUpload(request, reply, endpoint, id);
  await endpoint.uploads.remove(id);
  return reply.code(204).send();
}

function describeServer(reply: FastifyReply, { maxFileBytes, resumeSeconds }: TusEndpoint): FastifyReply {
  const extensions = ['creation', 'creation-with-upload', 'termination', ...(resumeSeconds ? ['expiration'] : [])];
  return reply
    .code(204)
    .headers({ 'tus-version': version, 'tus-extension': extensions.join(','), 'tus-max-size': maxFileBytes })
    .send();
}

async function createUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: TusEndpoint,
): Promise<FastifyReply> {
  const { path, uploads, random } = endpoint;
  const sizeBytes = readByteCount(request, 'upload-length');
  const metadata = parseMetadata(request.headers['upload-metadata']);
  let upload = await uploads.create({
    id: random.uuid(),
    name: metadata.get('filename') ?? '',
    path: metadata.get('path'),
    mediaType: metadata.get('filetype') ?? 'application/octet-stream',
    sizeBytes,
  });
  if (request.headers['content-type'] === tusType) {
    upload = await append(request, uploads, upload);
    reply.header('upload-offset', upload.receivedBytes);
  }
  setExpiry(reply, endpoint, upload);
  return reply.code(201).header('location', `${path}/${upload.id}`).send();
}

function describeUpload(reply: FastifyReply, upload: ResumableUpload): FastifyReply {
  const { name, mediaType, sizeBytes, receivedBytes } = upload;
  const metadata = Object.entries({ filename: name, filetype: mediaType });
  return reply
    .headers({
      'cache-control': 'no-store',
      'upload-offset': receivedBytes,
      'upload-length': sizeBytes,
      'upload-metadata': metadata.map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`).join(),
    })
    .send();
}

async function continueUpload(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: TusEndpoint,
  id: string,
): Promise<FastifyReply> {
  const offset = readByteCount(request, 'upload-offset');
  if (request.headers['content-type'] !== tusType) {
    throw new ExchangeError('unsupported_media_type', `The Content-Type must be ${tusType}.`);
  }
  const found = await endpoint.uploads.find(id);
  if (found.receivedBytes !== offset) {
    throw new ExchangeError(
      'upload_superseded',
      `The upload continues at ${found.receivedBytes}. Send the bytes from there on, with that Upload-Offset.`,
    );
  }
  const upload = await append(request, endpoint.uploads, found);
  setExpiry(reply, endpoint, upload);
  return reply.code(204).header('upload-offset', upload.receivedBytes).send();
}

async function append(
  request: FastifyRequest,
  uploads: ResumableUploads,
  upload: ResumableUpload,
): Promise<ResumableUpload> {
  const { id, sizeBytes, receivedBytes } = upload;
  if (receivedBytes + (readContentLength(request) ?? 0) > sizeBytes) {
    throw new ExchangeError(
      'too_large',
      `The upload has ${sizeBytes} bytes; the request carries more than are left. Send ${sizeBytes - receivedBytes} at most.`,
    );
  }
  return { ...upload, receivedBytes: await uploads.append(id, readBody(request), receivedBytes) };
}

/** Not for an upload that is complete. */
function setExpiry(reply: FastifyReply, { resumeSeconds }: TusEndpoint, upload: ResumableUpload): void {
  if (!resumeSeconds || upload.receivedBytes === upload.sizeBytes) return;
  reply.header('upload-expires', new Date(Date.now() + resumeSeconds * 1000).toUTCString());
}

function readByteCount({ headers }: FastifyRequest, name: 'upload-length' | 'upload-offset'): number {
  const value = headers[name];
  const count = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(count)) {
    const label = name === 'upload-length' ? 'Upload-Length' : 'Upload-Offset';
    throw new ExchangeError('malformed_request', `The header ${label} must be a number of bytes.`);
  }
  return count;
}

/** Pairs of a name and a value in Base64, separated by commas. A name may come without a value, but not twice. */
function parseMetadata(header: string | string[] | undefined): ReadonlyMap<string, string> {
  const metadata = new Map<string, string>();
  if (header === undefined) return metadata;
  for (const pair of String(header).split(',')) {
    const [, key, value = ''] = /^([\x21-\x2b\x2d-\x7e]+)(?: ([\dA-Za-z+/]*={0,2}))?$/.exec(pair.trim()) ?? [];
    if (key === undefined || value.length % 4 !== 0 || metadata.has(key)) {
      throw new ExchangeError(
        'malformed_request',
        'The header Upload-Metadata must be pairs of a name and a value in Base64, separated by commas.',
      );
    }
    if (value !== '') metadata.set(key, Buffer.from(value, 'base64').toString());
  }
  return metadata;
}

/** Aborted when the client has disconnected. */
export function whenGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new ClientGone());
  if (raw.destroyed) abort();
  else raw.once('close', abort);
  return gone.signal;
}

export function readContentLength(request: FastifyRequest): number | undefined {
  const length = request.headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
