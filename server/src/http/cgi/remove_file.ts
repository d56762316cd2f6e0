import { RemoveFileQuery, Status } from '@waybill/protocol';
import { removeFile } from '../../domain/drafts/remove-file.ts';
import { type Endpoint, requireActor } from './endpoint.ts';
import { readDraftName } from './request-headers.ts';

/**
 * docs/api.md#6-delete-an-uploaded-file. A GET that changes something, as the contract requires; the CSRF token makes
 * it safe.
 */
export const removeFileCgi: Endpoint = (app, engines) => {
  app.get(
    '/:user/cgi/remove_file.cgi',
    {
      config: { authentication: 'account+csrf' },
      schema: { querystring: RemoveFileQuery, response: { 200: Status } },
    },
    async (request) => {
      await removeFile(engines, requireActor(request), readDraftName(request), request.query.filename);
      return { status: 'deldone' as const };
    },
  );
};
