import { contactsAdd } from './contacts_add.ts';
import { contactsRead } from './contacts_read.ts';
import { createdrop } from './createdrop.ts';
import { downloadRoutes } from './download.ts';
import { getFiles } from './get_files.ts';
import { getHistory } from './get_history.ts';
import { givedrop } from './givedrop.ts';
import { indexPage } from './index_page.ts';
import { receiversSet } from './receivers_set.ts';
import { removeFileCgi } from './remove_file.ts';
import type { Route } from './route.ts';
import { upload } from './upload.ts';

/** Every operation of the machine API, in the order of docs/api.md#operations. */
export const routes: readonly Route[] = [
  indexPage,
  contactsRead,
  contactsAdd,
  receiversSet,
  getFiles,
  removeFileCgi,
  upload,
  createdrop,
  givedrop,
  getHistory,
  ...downloadRoutes,
];
