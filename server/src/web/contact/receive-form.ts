import { Readable } from 'node:stream';
import { limits } from '@waybill/protocol';
import type { FastifyRequest } from 'fastify';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { WantedPlaces } from '../../domain/files/wanted-files.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { bytesLeftFor } from '../../domain/requests/announce-file.ts';
import { contactDraftOwner } from '../../domain/uploads/contact-draft.ts';
import { type Part, parts } from '../../http/transfer/multipart.ts';
import { type FilePart, type Form, isFile, receiveFiles } from '../../http/transfer/receive-files.ts';
import type { PageEngines } from '../links/page-engines.ts';

/** The input that has been read from the form so far, to be shown again if the form is rejected. */
export interface Written {
  message: string;
  /** The file that was being read last. */
  fileName?: string | undefined;
  /** Which of the wanted files each file is, by the field that it came with. */
  places?: WantedPlaces;
}

/** Adds the files of the plain form to the contact draft, all or none. */
export async function receiveForm(
  engines: PageEngines,
  link: Link,
  contentType: string,
  body: unknown,
  written: Written,
  request: Form['request'] & Pick<FastifyRequest, 'peer'>,
): Promise<void> {
  if (!(body instanceof Readable)) throw new ExchangeError('unsupported_media_type');
  const [bytesLeft, allowed] = await Promise.all([bytesLeftFor(engines, link), readPolicy(engines, link.accountId)]);
  const policy = { ...allowed, maxFileBytes: Math.min(allowed.maxFileBytes, bytesLeft) };
  const numbers: (number | undefined)[] = [];
  const choose = async (part: Part, files: number) => {
    if (part.name === 'message' && part.fileName === undefined) written.message = await readText(part);
    else if (!isChosen(part)) await skip(part);
    else if (files >= limits.filesPerUpload) throw new ExchangeError('too_many_files');
    else {
      written.fileName = part.fileName;
      numbers.push(readWantedNumber(part.name));
      return part;
    }
    return undefined;
  };
  await receiveFiles(
    { ...engines, policy },
    contactDraftOwner(link, request.peer),
    { parts: parts(contentType, body), request },
    choose,
    (files) => {
      // From here on, it is about all of them.
      written.fileName = undefined;
      written.places = new Map(
        files.flatMap(({ writer: { id } }, index) => {
          const number = numbers[index];
          return number === undefined ? [] : [[id, number] as const];
        }),
      );
      const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      if (bytes > bytesLeft) throw new ExchangeError('too_large');
    },
  );
}

/** The plain form has a field for each wanted file, and one for all others. */
const wantedField = /^wanted:(\d{1,2})$/;

function readWantedNumber(name: string): number | undefined {
  const [, number] = wantedField.exec(name) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** A field in which nothing was chosen arrives as a file without a name. */
function isChosen(part: Part): part is FilePart {
  return (isFile(part) || (part.fileName !== undefined && wantedField.test(part.name))) && part.fileName !== '';
}

async function readText(part: Part): Promise<string> {
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
