import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../app.ts';
import type { Transfers } from '../shared/transfers.ts';
import { requireAccount, requireCsrfToken } from './authenticate.ts';
import { contactsAdd } from './contacts_add.ts';
import { contactsRead } from './contacts_read.ts';
import { createdrop } from './createdrop.ts';
import { download } from './download.ts';
import type { CgiEngines } from './endpoint.ts';
import { getFiles } from './get_files.ts';
import { getHistory } from './get_history.ts';
import { givedrop } from './givedrop.ts';
import { indexPage } from './index_page.ts';
import { openapi } from './openapi.ts';
import { receiversSet } from './receivers_set.ts';
import { removeFileCgi } from './remove_file.ts';
import { upload } from './upload.ts';

/** The machine API, in the order of docs/api.md#operations, and its description. */
const endpoints = [
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
  download,
  openapi,
];

export function machineApi(app: App, engines: CgiEngines, transfers: Transfers): void {
  app.addHook('onRequest', async (request) => {
    const { authentication } = request.routeOptions.config;
    if (authentication !== 'account' && authentication !== 'account+csrf') return;
    if (request.headers['sec-fetch-site'] === 'cross-site') throw new ExchangeError('cross_site');
    request.actor = await requireAccount(engines, request);
    if (authentication === 'account+csrf') await requireCsrfToken(engines, request, request.actor);
  });
  for (const endpoint of endpoints) endpoint(app, engines, transfers);
}
