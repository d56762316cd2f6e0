import { Readable } from 'node:stream';
import { limits, Status } from '@waybill/protocol';
import { readPolicy } from '../../domain/accounts/read-policy.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { accountOwner } from '../../domain/uploads/owner.ts';
import { type Part, parts } from '../../http/transfer/multipart.ts';
import { type FilePart, isFile, receiveFiles } from '../../http/transfer/receive-files.ts';
import { binary } from '../shared/openapi.ts';
import { draftHeader, readDraftName } from './request-headers.ts';
import { route } from './route.ts';

const done: Status = { status: 'done' };

const form = {
  type: 'object',
  required: ['do', 'file'],
  properties: {
    do: { const: 'upload' },
    file: { type: 'array', minItems: 1, maxItems: limits.filesPerUpload, items: binary('application/octet-stream') },
  },
};

/** docs/api.md#7-upload-files. */
export const upload = route({
  method: 'POST',
  path: '/cgi/upload.cgi',
  id: 'upload',
  summary: 'Upload files, all or none',
  authentication: 'account+csrf',
  transfer: true,
  headers: [draftHeader],
  form,
  curl: ['-F do=upload', '-F file=@report.pdf'],
  response: { status: 200, description: 'They are stored and scanned.', schema: Status, example: done },
  errors: ['invalid_name', 'too_many_files', 'too_large', 'too_large_to_scan', 'storage_full', 'infected', 'encrypted'],
  async handle({ engines, actor, request, reply, transfers }) {
    const owner = accountOwner(actor, readDraftName(request));
    const contentType = request.headers['content-type'] ?? '';
    const { choose, accept } = uploadForm();
    const policy = await readPolicy(engines, owner.accountId);
    await transfers.runSupervised(reply, (revoked) =>
      receiveFiles(
        { ...engines, policy },
        owner,
        { parts: parts(contentType, request.raw, revoked), request, revoked },
        choose,
        accept,
      ),
    );
    // Chunked transfer encoding is part of the contract; a stream of unknown length gets it.
    return reply.type('application/json; charset=utf-8').send(Readable.from([JSON.stringify(done)]));
  },
});

/** The field `do` with the value `upload` before or after the files, and one or more `file` parts. */
function uploadForm() {
  let hasAction = false;
  return {
    async choose(part: Part, files: number): Promise<FilePart | undefined> {
      if (isFile(part) && files < limits.filesPerUpload) return part;
      if (part.name !== 'do' || part.fileName !== undefined || hasAction) {
        throw new ExchangeError(
          'malformed_request',
          `The form takes one field "do" and up to ${limits.filesPerUpload} files in "file".`,
        );
      }
      await requireUpload(part);
      hasAction = true;
      return undefined;
    },
    accept(files: readonly unknown[]): void {
      if (hasAction && files.length > 0) return;
      throw new ExchangeError(
        'malformed_request',
        'The form needs a field "do" with the value "upload" and a file in "file".',
      );
    },
  };
}

async function requireUpload(part: Part): Promise<void> {
  let value = '';
  for await (const bytes of part.bytes) {
    value += bytes.toString('latin1');
    if (value.length > 'upload'.length) break;
  }
  if (value !== 'upload') throw new ExchangeError('malformed_request', 'The field "do" takes the value "upload".');
}
