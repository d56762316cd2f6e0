import { WaybillError } from './errors.ts';
import type { OpenedSource, Source } from './sources.ts';

export interface UploadForm {
  headers: Record<string, string>;
  body: AsyncIterable<Uint8Array>;
}

/** The form of upload.cgi with one file (RFC 7578). `onBytes` is told how much of the file has been sent. */
export function uploadForm(
  source: Source,
  opened: OpenedSource,
  boundary: string,
  onBytes: (sentBytes: number) => void,
): UploadForm {
  const before = Buffer.from(
    [
      `--${boundary}`,
      'Content-Disposition: form-data; name="do"',
      '',
      'upload',
      `--${boundary}`,
      `Content-Disposition: form-data; name="file"; filename="${quoted(source.name)}"`,
      `Content-Type: ${mediaType(source.type)}`,
      '',
      '',
    ].join('\r\n'),
  );
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  const { sizeBytes } = opened;
  return {
    headers: {
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
      ...(sizeBytes === undefined ? {} : { 'Content-Length': String(before.length + sizeBytes + after.length) }),
    },
    body: joined(before, fileBytes(source, opened, onBytes), after),
  };
}

async function* joined(before: Uint8Array, file: AsyncIterable<Uint8Array>, after: Uint8Array) {
  yield before;
  yield* file;
  yield after;
}

/** Exactly as many bytes as were announced: with more or fewer, the server would misread the end of the form. */
async function* fileBytes(source: Source, { sizeBytes, bytes }: OpenedSource, onBytes: (sentBytes: number) => void) {
  let sentBytes = 0;
  onBytes(0);
  try {
    for await (const piece of bytes) {
      sentBytes += piece.length;
      if (sizeBytes !== undefined && sentBytes > sizeBytes) break;
      yield piece;
      onBytes(sentBytes);
    }
  } catch (cause) {
    const message = `${source.name} could not be read completely: ${(cause as Error).message}.`;
    throw new WaybillError('source_failed', message, { cause });
  }
  if (sizeBytes !== undefined && sentBytes !== sizeBytes) {
    throw new WaybillError('source_failed', `${source.name} changed while it was being sent.`);
  }
}

/** Refuses a name that would break out of its header; the server decides about all other rules. */
function quoted(name: string): string {
  if (/[\u0000-\u001f\u007f]/.test(name) || name === '') {
    throw new WaybillError('invalid_name', 'A file name needs at least one character and no control characters.');
  }
  return name.replace(/["\\]/g, '\\$&');
}

function mediaType(type: string): string {
  if (!/^[\x20-\x7e]+$/.test(type)) throw new WaybillError('invalid_argument', 'A media type is printable ASCII.');
  return type;
}
