import { Readable } from 'node:stream';
import { limits } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { abandonUploads, commitUploads, type StagedUpload, stageUpload } from '../../domain/files/stage-upload.ts';
import { contactOf, deskOf } from '../../domain/grants/desk.ts';
import type { Link } from '../../domain/ports.ts';
import { type Part, parts } from '../shared/multipart.ts';
import type { PageEngines } from './routes.tsx';

/** What was written in the form, as far as it has been read: to be shown again if the form is refused. */
export interface Written {
  message: string;
}

/** The plain form: puts its files on the contact's desk, all or none. */
export async function receiveForm(
  engines: PageEngines,
  link: Link,
  contentType: string,
  body: unknown,
  written: Written,
): Promise<void> {
  if (!(body instanceof Readable)) throw new ExchangeError('unsupported_media_type');
  const contact = contactOf(link);
  const desk = deskOf(link);
  const staged: StagedUpload[] = [];
  try {
    for await (const part of parts(contentType, body)) {
      if (part.name === 'message' && part.fileName === undefined) written.message = await textOf(part);
      // A field in which nothing was chosen comes as a file without a name.
      else if (part.name !== 'file' || !part.fileName) await skip(part);
      else if (staged.length >= limits.filesPerUpload) throw new ExchangeError('too_many_files');
      else {
        const file = { name: part.fileName, mediaType: part.mediaType, bytes: part.bytes };
        staged.push(await stageUpload(engines, contact, desk, file));
      }
    }
    await commitUploads(engines, contact, desk, staged);
  } catch (error) {
    await abandonUploads(engines, contact, staged);
    throw error;
  }
}

async function textOf(part: Part): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const bytes of part.bytes) {
    length += bytes.length;
    if (length > 4 * limits.messageLength) throw new ExchangeError('too_large');
    pieces.push(bytes);
  }
  // Browsers send line ends as CRLF.
  return Buffer.concat(pieces).toString('utf8').replaceAll('\r\n', '\n');
}

async function skip(part: Part): Promise<void> {
  let length = 0;
  for await (const bytes of part.bytes) {
    length += bytes.length;
    if (length > 0) throw new ExchangeError('malformed_request');
  }
}
