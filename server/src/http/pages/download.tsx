import { requireScanned } from '../../domain/files/require-scanned.ts';
import { findDroppedFile } from '../../domain/links/find-dropped-file.ts';
import { isPassed } from '../../domain/links/find-link.ts';
import { recordDelivery } from '../../domain/links/record-delivery.ts';
import { DownloadPage, downloadTitle } from '../../views/pages/download-page.tsx';
import type { App } from '../app.ts';
import { sendFile } from '../shared/send-file.ts';
import { sendZip } from '../shared/send-zip.ts';
import type { Transfers } from '../shared/transfers.ts';
import { sendCodePage } from './code.tsx';
import { downloads } from './link-pages.ts';
import { inChosenLanguage, type PageOptions, sendPage, wordsFor } from './page.ts';
import type { PageEngines } from './routes.tsx';
import { linkOfSession, sessionOf } from './session.ts';

const config = { authentication: 'link-session' } as const;

/** The receiver's page proper, after a person opened the link: the files, each and all at once. */
export function downloadPages(app: App, engines: PageEngines, transfers: Transfers, options: PageOptions): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/',
    config,
    handler: async (request, reply) => {
      const session = await sessionOf(engines, request, downloads);
      if (!isPassed(engines, session)) return sendCodePage(engines, options, request, reply, session);
      const { link } = session;
      const files = await engines.store.links.files(link);
      const words = wordsFor(options, request, link.language);
      const props = {
        sender: link.sender,
        message: link.message,
        files: files.map((file) => ({
          name: file.name,
          sizeBytes: file.sizeBytes,
          sha256: file.sha256.toString('hex'),
          href: `files/${file.id}/${encodeURIComponent(file.name)}`,
          scan: file.scan,
          complete: file.complete,
        })),
        totalBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
        allHref: 'all.zip',
        deadline: link.expiresAt,
        doneAction: inChosenLanguage(request, 'done'),
      };
      return sendPage(options, request, reply, words, {
        title: downloadTitle(words, props),
        page: <DownloadPage {...props} />,
      });
    },
  });

  app.route<{ Params: { handle: string; file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/files/:file/:name',
    config: { ...config, transfer: true },
    handler: async (request, reply) => {
      const link = await linkOfSession(engines, request, downloads);
      return transfers.run(reply, link, async (signal) => {
        const file = await findDroppedFile(engines, link, request.params.file);
        return sendFile(engines, file, request, reply, signal, (sent) => recordDelivery(engines, link, file, sent));
      });
    },
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/all.zip',
    config: { ...config, transfer: true },
    handler: async (request, reply) => {
      const link = await linkOfSession(engines, request, downloads);
      return transfers.run(reply, link, async (signal) => {
        const files = await engines.store.links.files(link);
        for (const file of files) requireScanned(engines.policy, file);
        return sendZip(engines, files, request, reply, signal, async () => {
          for (const file of files) await recordDelivery(engines, link, file, { start: 0, end: file.sizeBytes });
        });
      });
    },
  });
}
