import { RemoveFileQuery, Status } from '@waybill/protocol';
import { removeFile } from '../../domain/drafts/remove-file.ts';
import { draftHeader, readDraftName } from './request-headers.ts';
import { route } from './route.ts';

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
  response: { status: 200, description: 'It is deleted.', schema: Status },
  errors: ['invalid_input', 'invalid_name', 'not_found'],
  async handle({ engines, actor, query, request }) {
    await removeFile(engines, actor, readDraftName(request), query.filename);
    return { status: 'deldone' };
  },
});
