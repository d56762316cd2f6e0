import { RemoveFileQuery, Status } from '@waybill/protocol';
import { removeFile } from '../../domain/drafts/change-draft.ts';
import { draftHeader, readDraftName } from './request-headers.ts';
import { route } from './route.ts';

const done: Status = { status: 'deldone' };

/**
 * docs/api.md#6-delete-an-uploaded-file. A GET that changes something, as the contract requires; the CSRF token makes
 * it safe.
 */
export const removeFileCgi = route({
  method: 'GET',
  path: '/cgi/remove_file.cgi',
  id: 'removeFile',
  summary: 'Delete a staged file',
  authentication: 'account+csrf',
  headers: [draftHeader],
  query: RemoveFileQuery,
  exampleQuery: 'filename=report.pdf',
  response: { status: 200, description: 'It is deleted.', schema: Status, example: done },
  errors: ['invalid_input', 'invalid_name', 'not_found'],
  async handle({ engines, actor, query, request }) {
    await removeFile(engines, actor, readDraftName(request), query.filename);
    return done;
  },
});
