import { UploadedFiles } from '@waybill/protocol';
import { openFileList } from '../../domain/drafts/change-draft.ts';
import { header } from '../shared/openapi.ts';
import { draftHeader, prefersFileDigests, readDraftName } from './request-headers.ts';
import { route } from './route.ts';
import { uploadedFile, uploadedFileWithDigest } from './shapes.ts';

/** docs/api.md#5-get-uploaded-files. */
export const getFiles = route({
  method: 'GET',
  path: '/cgi/get_files.cgi',
  id: 'getFiles',
  summary: 'Open the draft’s file list and get what is staged',
  authentication: 'account+csrf',
  headers: [draftHeader, header('Prefer', '`file-digests` adds `bytes` and `sha256` to each file.')],
  response: {
    status: 200,
    description: 'The staged files.',
    schema: UploadedFiles,
    headers: { 'Preference-Applied': '`file-digests` if the request preferred it.' },
  },
  errors: [],
  async handle({ engines, actor, request, reply }) {
    const files = await openFileList(engines, actor, readDraftName(request));
    if (!prefersFileDigests(request)) return files.map(uploadedFile);
    reply.header('preference-applied', 'file-digests');
    return files.map(uploadedFileWithDigest);
  },
});
