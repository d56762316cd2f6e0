import type { Readable } from 'node:stream';
import { limits } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { abandonUploads, commitUploads, type StagedUpload, stageUpload } from '../../domain/files/stage-upload.ts';
import type { Actor } from '../../domain/ports.ts';
import { type Part, parts } from './multipart.ts';

export type UploadNeeds = Parameters<typeof stageUpload>[0];

/** spec 4, rule 7: `do` = `upload` before or after the files, one or more `file` parts, all or nothing. */
export async function receiveUpload(
  engines: UploadNeeds,
  actor: Actor,
  draft: string,
  contentType: string,
  body: Readable,
): Promise<void> {
  const staged: StagedUpload[] = [];
  try {
    let asked = false;
    for await (const part of parts(contentType, body)) {
      if (part.name === 'do' && part.fileName === undefined && !asked) {
        await requireUpload(part);
        asked = true;
      } else if (part.name === 'file' && part.fileName !== undefined && staged.length < limits.filesPerUpload) {
        staged.push(
          await stageUpload(engines, actor, draft, {
            name: part.fileName,
            mediaType: part.mediaType,
            bytes: part.bytes,
          }),
        );
      } else {
        throw new ExchangeError(
          'malformed_request',
          `The form takes one field "do" and up to ${limits.filesPerUpload} files in "file".`,
        );
      }
    }
    if (!asked || staged.length === 0) {
      throw new ExchangeError(
        'malformed_request',
        'The form needs a field "do" with the value "upload" and a file in "file".',
      );
    }
    await commitUploads(engines, actor, draft, staged);
  } catch (error) {
    await abandonUploads(engines, actor, staged);
    throw error;
  }
}

async function requireUpload(part: Part): Promise<void> {
  let value = '';
  for await (const bytes of part.bytes) {
    value += bytes.toString('latin1');
    if (value.length > 'upload'.length) break;
  }
  if (value !== 'upload') throw new ExchangeError('malformed_request', 'The field "do" takes the value "upload".');
}
