import { UploadedFiles } from '@waybill/protocol';
import { openFileList } from '../../domain/drafts/open-file-list.ts';
import { type Endpoint, requireActor } from './endpoint.ts';
import { prefersFileDigests, readDraftName } from './request-headers.ts';
import { uploadedFile, uploadedFileWithDigest } from './shapes.ts';

/** docs/api.md#5-get-uploaded-files. */
export const getFiles: Endpoint = (app, engines) => {
  app.get(
    '/:user/cgi/get_files.cgi',
    { config: { authentication: 'account+csrf' }, schema: { response: { 200: UploadedFiles } } },
    async (request, reply) => {
      const files = await openFileList(engines, requireActor(request), readDraftName(request));
      if (!prefersFileDigests(request)) return files.map(uploadedFile);
      reply.header('preference-applied', 'file-digests');
      return files.map(uploadedFileWithDigest);
    },
  );
};
