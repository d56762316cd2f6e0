import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import { patterns } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { discardBuffer } from '../../domain/flow/discard-buffer.ts';

const maxParts = 200;
const maxPartHeaderBytes = 8 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Parameters may follow. */
const mediaTypeAtStart = new RegExp(`^${patterns.mediaType}`);

export interface Part {
  readonly name: string;
  /** Absent on a plain field. */
  readonly fileName: string | undefined;
  /** Our extension: where the file was in the folder that is being sent, from the part's header `Waybill-Path`. */
  readonly path: string | undefined;
  readonly mediaType: string;
  /** Must be read to its end before the next part is available. */
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * Parses a form (RFC 7578) part by part, as it arrives. Rejects ambiguous input; buffers only the header of a part.
 * When `revoked` is aborted, the form fails with its reason at whatever point.
 */
export async function* parts(
  contentType: string,
  body: Readable,
  revoked?: AbortSignal,
): AsyncGenerator<Part, void, void> {
  const dicer = new Dicer({ boundary: parseBoundary(contentType), ...headerLimits });
  const streams: Readable[] = [];
  const arrived: Promise<Part>[] = [];
  let headersAwaited = 0;
  let partCount = 0;
  let wake: () => void = () => undefined;
  let ended = false;
  let isFailed = false;
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined); // The next caller that waits throws it.
  const fail = (error: unknown) => {
    if (isFailed) return;
    isFailed = true;
    failure.reject(error);
    for (const stream of streams) stream.destroy(error as Error);
    dicer.destroy();
  };

  const onRevoked = () => fail(revoked?.reason);
  revoked?.addEventListener('abort', onRevoked, { once: true });

  dicer.on('part', (stream: Readable) => {
    stream.on('error', fail);
    // The parser goes on to the end of the piece that it has, which may contain thousands of parts.
    if (isFailed) return;
    streams.push(stream);
    partCount += 1;
    // The header can no longer end, so waiting for it would never end either.
    if (headersAwaited > 0)
      fail(new ExchangeError('malformed_request', 'A part needs a header with a Content-Disposition.'));
    headersAwaited += 1;
    stream.once('header', () => (headersAwaited -= 1));
    if (partCount > maxParts)
      fail(
        new ExchangeError('too_large', `The form has more than ${maxParts} parts. Send the files in several requests.`),
      );
    const part = once(stream, 'header').then(([header]) => toPart(header as PartHeader, stream));
    part.catch(fail);
    arrived.push(part);
    wake();
  });
  dicer.on('finish', () => {
    ended = true;
    wake();
  });
  dicer.on('error', (cause) => fail(cutOff(cause)));

  const pump = async () => {
    let headerBytes = 0;
    for await (const bytes of body as AsyncIterable<Buffer>) {
      // The parser discards the excess of a header that is too long, but would continue to read it forever.
      headerBytes = headersAwaited > 0 ? headerBytes + bytes.length : 0;
      if (headerBytes > maxPartHeaderBytes + bytes.length)
        throw new ExchangeError(
          'too_large',
          `A part’s header may have up to ${maxPartHeaderBytes} bytes. Choose a shorter file name.`,
        );
      await new Promise<void>((resolve, reject) => dicer.write(bytes, (error) => (error ? reject(error) : resolve())));
    }
    if (headersAwaited > 0) throw cutOff();
    dicer.end();
  };
  pump().catch((cause: unknown) => {
    if (cause instanceof ExchangeError) fail(cause);
    else
      fail(new ExchangeError('malformed_request', 'The request ended before its body did. Send it again.', { cause }));
  });

  try {
    for (;;) {
      const next = arrived.shift();
      if (next) yield await Promise.race([next, failure.promise]);
      else if (ended) return;
      else await Promise.race([new Promise<void>((resolve) => (wake = resolve)), failure.promise]);
    }
  } finally {
    revoked?.removeEventListener('abort', onRevoked);
    dicer.destroy();
  }
}

/** The package's types know neither limit, but its parser does. */
const headerLimits = { maxHeaderPairs: 20, maxHeaderSize: maxPartHeaderBytes };

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

function toPart(header: PartHeader, bytes: Readable): Part {
  const length = Object.entries(header).reduce(
    (sum, [key, values]) => sum + key.length + (values?.join('').length ?? 0),
    0,
  );
  // The header has the largest possible length, so part of it may have been cut off.
  if (length > maxPartHeaderBytes / 2)
    throw new ExchangeError(
      'too_large',
      `A part’s header may have up to ${maxPartHeaderBytes} bytes. Choose a shorter file name.`,
    );
  const [disposition, ...more] = header['content-disposition'] ?? [];
  const parameters = disposition === undefined ? undefined : dispositionParameters(disposition);
  const name = parameters?.get('name');
  if (!parameters || name === undefined || more.length > 0) {
    throw new ExchangeError(
      'malformed_request',
      'A part needs one Content-Disposition, which is form-data and has a name.',
    );
  }
  const declared = header['content-type']?.[0] ?? '';
  const [mediaType] = mediaTypeAtStart.exec(declared) ?? [];
  return {
    name,
    fileName: agreedFileName(parameters),
    path: decodePath(header['waybill-path']),
    mediaType: mediaType?.toLowerCase() ?? 'application/octet-stream',
    bytes: readToEnd(bytes),
  };
}

/** UTF-8, percent-encoded. */
function decodePath([encoded, ...more]: readonly string[] = []): string | undefined {
  if (encoded === undefined) return undefined;
  const path = more.length === 0 ? decodeText(encoded) : undefined;
  if (path === undefined) throw new ExchangeError('invalid_name', 'Waybill-Path must be one path, percent-encoded.');
  return path;
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * A piece belongs to its reader until the reader asks for the next one; then its memory is freed. The parser reports a
 * body without its end at the part where it breaks off, with its own error.
 */
async function* readToEnd(stream: Readable): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      yield bytes;
      discardBuffer(bytes);
    }
  } catch (error) {
    throw error instanceof ExchangeError ? error : cutOff(error);
  }
}

function cutOff(cause?: unknown): ExchangeError {
  return new ExchangeError(
    'malformed_request',
    'The multipart body is cut off. Send it again, up to the boundary that ends it.',
    { cause },
  );
}

/** `filename` and `filename*` may both be present if they have the same value. */
function agreedFileName(parameters: ReadonlyMap<string, string>): string | undefined {
  const plain = parameters.get('filename');
  const extended = parameters.get('filename*');
  if (extended === undefined) return plain;
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended) ?? [];
  const name = encoded === undefined ? undefined : decodeText(encoded);
  if (name === undefined || (plain !== undefined && plain.normalize('NFC') !== name.normalize('NFC'))) {
    throw new ExchangeError('invalid_name', 'filename and filename* of a part disagree. Send only one of them.');
  }
  return name;
}

/** `form-data; name="file"; filename="a \"b\".txt"`. Parameters may not repeat. */
function dispositionParameters(value: string): Map<string, string> | undefined {
  const text = utf8Text(value);
  const rest = /^form-data\s*(?=;|$)/i.exec(text);
  if (!rest) return undefined;
  const parameters = new Map<string, string>();
  const parameter = /\s*;\s*([a-z0-9_-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/iy;
  parameter.lastIndex = rest[0].length;
  let end = parameter.lastIndex;
  for (let match = parameter.exec(text); match; match = parameter.exec(text)) {
    const [, key, quoted, bare] = match;
    const name = (key as string).toLowerCase();
    if (parameters.has(name)) return undefined;
    // Browsers write a quote as %22 and send backslashes as they are, so only an escaped quote or backslash is an
    // escape.
    parameters.set(name, quoted === undefined ? (bare as string) : quoted.replace(/\\(["\\])/g, '$1'));
    end = parameter.lastIndex;
  }
  return ['', ';'].includes(text.slice(end).trim()) ? parameters : undefined;
}

/** The parser returns bytes as latin1. The encoding of bytes that are not valid UTF-8 cannot be known. */
function utf8Text(latin1: string): string {
  try {
    return utf8.decode(Buffer.from(latin1, 'latin1'));
  } catch (cause) {
    throw new ExchangeError('invalid_name', 'A part’s header must be UTF-8.', { cause });
  }
}

function parseBoundary(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  // RFC 2046: 1 to 70 characters.
  if (!boundary || !/^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary)) {
    throw new ExchangeError(
      'malformed_request',
      'The Content-Type needs a boundary of 1 to 70 characters. Let the HTTP library set this header.',
    );
  }
  return boundary;
}
