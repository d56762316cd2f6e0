import { dispatchRoute } from './dispatch.ts';

/** docs/api.md#8-create-a-dispatch. */
export const createdrop = dispatchRoute({
  path: '/cgi/createdrop.cgi',
  id: 'createDrop',
  summary: 'Dispatch the draft',
  description: 'It is dispatched, or was before.',
  errors: ['file_list_not_initialized', 'no_files'],
  type: 'downloadfiles',
});
