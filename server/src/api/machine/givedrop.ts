import { dispatchRoute } from './dispatch.ts';

/** docs/api.md#9-allow-contacts-to-send-files. */
export const givedrop = dispatchRoute({
  path: '/cgi/givedrop.cgi',
  id: 'giveDrop',
  summary: 'Allow the receivers to send files back',
  description: 'They are allowed to.',
  errors: [],
  type: 'uploadfiles',
});
