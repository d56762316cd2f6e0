import { limits } from '@waybill/protocol';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import type { Actor } from '../../../domain/actor.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { isUuid } from '../../../domain/is-uuid.ts';
import { uploadOwner } from '../../../domain/uploads/account-upload.ts';
import { abandonUploads, completeUploads, stageUpload } from '../../../domain/uploads/stage-upload.ts';
import type { Part } from '../../../http/transfer/multipart.ts';
import { notifyOnStart } from '../../../http/transfer/receive-files.ts';
import type { SignedInVisit, Visit } from '../shared/app-route.ts';

/** A file that came with the form, and is an upload of the account now. */
export interface ReceivedFile {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
}

/** A file that was refused. */
export interface RefusedFile {
  readonly name: string;
  readonly error: ExchangeError;
}

export interface FormWithFiles {
  readonly fields: URLSearchParams;
  readonly files: readonly ReceivedFile[];
  readonly refused: RefusedFile | undefined;
}

/** All texts of a form together: a thousand receivers with their names, and a long message. */
const maxTextBytes = 512 * 1024;

/**
 * Reads a form with files. Each file becomes an upload of the account as it arrives. One that is refused does not end the
 * form: what was typed comes after the files, and nobody wants to type it again.
 */
export async function readFormWithFiles(
  { engines, readParts, request }: Visit,
  actor: Actor,
  ended: AbortSignal,
): Promise<FormWithFiles> {
  const fields = new URLSearchParams();
  const files: ReceivedFile[] = [];
  let refused: RefusedFile | undefined;
  let textBytes = 0;
  const policy = await readPolicy(engines, actor.accountId);
  for await (const part of readParts(ended)) {
    if (part.fileName === undefined) {
      const text = await readText(part, maxTextBytes - textBytes);
      textBytes += text.length;
      fields.append(part.name, text);
      continue;
    }
    const bytes = new RestOfPart(part);
    // A field in which nothing was chosen arrives as a file without a name.
    if (part.name === 'files' && part.fileName !== '' && !refused) {
      const name = part.fileName;
      try {
        if (files.length >= limits.filesPerUpload) throw new ExchangeError('too_many_files');
        files.push(
          await receiveFile({ ...engines, policy }, actor, request, { ...part, fileName: name }, bytes.read(), ended),
        );
      } catch (error) {
        if (!(error instanceof ExchangeError) || ended.aborted) throw error;
        refused = { name, error };
      }
    }
    await bytes.skip();
  }
  ended.throwIfAborted();
  return { fields, files, refused };
}

/** Makes an upload of the account from the bytes of a file, all of which are read here unless it is refused. */
export async function receiveFile(
  engines: SignedInVisit['engines'],
  actor: Actor,
  { transferLanes }: Pick<SignedInVisit['request'], 'transferLanes'>,
  { fileName: name, mediaType }: Pick<Part, 'mediaType'> & { readonly fileName: string },
  bytes: AsyncGenerator<Buffer, void, void>,
  ended: AbortSignal,
): Promise<ReceivedFile> {
  const id = engines.random.uuid();
  const owner = uploadOwner(actor, id);
  const staged = await transferLanes.beginning.run(({ release }) =>
    stageUpload(engines, owner, {
      id,
      name,
      mediaType,
      bytes: notifyOnStart(bytes, () => release('succeeded')),
      revoked: ended,
    }),
  );
  try {
    await transferLanes.ending.run(() => completeUploads(engines, owner, [staged]));
  } catch (error) {
    await abandonUploads(engines, [staged]);
    throw error;
  }
  return { id, name, sha256: staged.sha256.toString('hex') };
}

/** The bytes of a part, which must be read to their end even if its reader stops early. */
class RestOfPart {
  readonly #bytes: AsyncIterator<Buffer>;

  constructor(part: Part) {
    this.#bytes = part.bytes[Symbol.asyncIterator]();
  }

  async *read(): AsyncGenerator<Buffer, void, void> {
    for (let next = await this.#bytes.next(); !next.done; next = await this.#bytes.next()) yield next.value;
  }

  async skip(): Promise<void> {
    for await (const bytes of this.read()) void bytes;
  }
}

async function readText(part: Part, maxBytes: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const bytes of part.bytes) {
    length += bytes.length;
    if (length > maxBytes) throw new ExchangeError('too_large');
    // The memory of a piece is freed when the next one is read.
    pieces.push(Buffer.from(bytes));
  }
  // Browsers send line ends as CRLF. No other control character is ever typed.
  return Buffer.concat(pieces).toString('utf8').replaceAll('\r\n', '\n').replaceAll('\0', '');
}

/** The ids of uploads in a form or a query: separated by spaces, or repeated. */
export function readUploadIds(values: readonly string[]): string[] {
  const ids = values.flatMap((value) => value.split(' ')).filter((id) => isUuid(id));
  return [...new Set(ids)].slice(0, limits.filesPerDraft);
}
