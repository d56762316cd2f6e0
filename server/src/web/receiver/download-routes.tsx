import { receiptFormats } from '../../domain/evidence/make-receipt.ts';
import { listDroppedFiles, requireOwnLink } from '../../domain/links/find-link.ts';
import { recordMessage } from '../../domain/links/record-delivery.ts';
import { findPendingStep } from '../../domain/links/second-factor.ts';
import { toReference } from '../../domain/reference.ts';
import type { App } from '../../http/shared/app.ts';
import { replyWithLinkFile, replyWithLinkZip } from '../../http/transfer/reply-with-link-files.ts';
import { replyWithReceipt } from '../../http/transfer/reply-with-receipt.ts';
import type { Transfers } from '../../http/transfer/transfers.ts';
import { zipPaths } from '../../http/transfer/zip-layouts.ts';
import { sortByPath } from '../../present/texts/file-order.ts';
import { toAskFormProps } from '../links/ask-routes.tsx';
import { downloads } from '../links/link-pages.ts';
import type { PageEngines } from '../links/page-engines.ts';
import { requireLink, requireSession } from '../links/session.ts';
import { replyWithStep } from '../links/step-routes.tsx';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { DownloadPage, downloadTitle } from './download-page.tsx';

const config = { authentication: 'link-session' } as const;

/** The receiver's main page, after a person opened the link: the files, one by one and all at once. */
export function downloadPages(app: App, engines: PageEngines, transfers: Transfers, options: PageOptions): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/',
    config,
    handler: async (request, reply) => {
      const session = await requireSession(engines, request, downloads);
      const step = findPendingStep(engines, session);
      if (step) return replyWithStep(engines, options, request, reply, session, step);
      const { link } = session;
      const files = await listDroppedFiles(engines, link);
      if (request.method === 'GET') await recordMessage(engines, link, files);
      const translator = chooseTranslator(options, request, link.language);
      const props = {
        sender: { name: link.senderName, address: link.sender },
        reference: toReference(link.dropId),
        title: link.title,
        message: link.message,
        files: files.map((file) => ({
          id: file.id,
          path: file.path,
          sizeBytes: file.sizeBytes,
          sha256: file.sha256.toString('hex'),
          href: `files/${file.id}/${encodeURIComponent(file.name)}`,
          scan: file.scan,
          unscannedReason: file.unscannedReason,
          complete: file.complete,
        })),
        totalBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
        allHref: 'all.zip',
        foldersHref: 'folders',
        sumsHref: 'SHA256SUMS',
        deliveredHref: 'delivered',
        receiptHref: link.kind === 'receiver' ? 'receipt' : undefined,
        shared: link.kind === 'anybody' ? { maxDownloads: link.maxDownloads } : undefined,
        deadline: link.expiresAt,
        completedAt: link.kind === 'receiver' ? (link.completedAt ?? undefined) : undefined,
        asking: toAskFormProps(request, link),
        doneAction: withChosenLanguage(request, 'done'),
      };
      return replyWithPage(options, request, reply, translator, {
        title: downloadTitle(translator, props),
        page: <DownloadPage {...props} />,
        script: 'download',
      });
    },
  });

  app.get('/download/:handle/delivered', { config }, async (request) => {
    const link = await requireLink(engines, request, downloads);
    const files = await listDroppedFiles(engines, link);
    return files.filter((file) => file.complete).map(({ id }) => id);
  });

  for (const format of receiptFormats)
    app.get(`/download/:handle/receipt.${format}`, { config }, async (request, reply) => {
      const link = await requireLink(engines, request, downloads);
      requireOwnLink(link);
      const { accountId, dropId, position, language } = link;
      const { locale } = chooseTranslator(options, request, language);
      const story = { accountId, dropId, position };
      return replyWithReceipt(engines, reply, { ...story, type: 'drop', format, languages: [locale] });
    });

  // For `sha256sum -c` in the unpacked ZIP; no name in it has a character that would need escaping.
  app.get('/download/:handle/SHA256SUMS', { config }, async (request, reply) => {
    const link = await requireLink(engines, request, downloads);
    const files = await listDroppedFiles(engines, link);
    // Named as in the ZIP, whose order is that of the files, but listed as on the page.
    const paths = zipPaths(files);
    const sums = files.map(({ path, sha256 }, index) => ({
      path,
      line: `${sha256.toString('hex')}  ${paths[index]}\n`,
    }));
    const { locale } = chooseTranslator(options, request, link.language);
    return reply
      .headers({
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment; filename="SHA256SUMS"',
        'content-security-policy': "sandbox; default-src 'none'",
      })
      .send(
        sortByPath(sums, locale, ({ path }) => path)
          .map(({ line }) => line)
          .join(''),
      );
  });

  app.route<{ Params: { handle: string; file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/files/:file/:name',
    config: { ...config, transfer: true },
    handler: async (request, reply) => {
      const link = await requireLink(engines, request, downloads);
      return replyWithLinkFile({ engines, link, transfers, request, reply }, request.params.file);
    },
  });

  app.route({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/all.zip',
    config: { ...config, transfer: true },
    handler: async (request, reply) => {
      const link = await requireLink(engines, request, downloads);
      return replyWithLinkZip({ engines, link, transfers, request, reply });
    },
  });

  app.route<{ Params: { handle: string; folder: string } }>({
    method: ['GET', 'HEAD'],
    url: '/download/:handle/folders/:folder',
    config: { ...config, transfer: true },
    handler: async (request, reply) => {
      const link = await requireLink(engines, request, downloads);
      return replyWithLinkZip({ engines, link, transfers, request, reply }, request.params.folder);
    },
  });
}
