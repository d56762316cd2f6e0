import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type ErrorCode, limits } from '@waybill/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Sending } from '../../domain/drops/drop-store.ts';
import { listSendings } from '../../domain/drops/find-sent-drops.ts';
import { receiptFormats } from '../../domain/evidence/make-receipt.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { requireUnused } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import { findPendingStep } from '../../domain/links/second-factor.ts';
import { toReference } from '../../domain/reference.ts';
import { findLinkFileSizeLimit } from '../../domain/requests/announce-file.ts';
import { findWantedThrough } from '../../domain/requests/find-wanted.ts';
import { sendFiles } from '../../domain/requests/send-files.ts';
import { contactDraftName, listDraftFiles } from '../../domain/uploads/contact-draft.ts';
import type { App } from '../../http/shared/app.ts';
import { parseJson } from '../../http/shared/json-body.ts';
import { replyWithError } from '../../http/shared/json-errors.ts';
import { handleContactTus } from '../../http/transfer/contact-uploads.ts';
import { replyWithReceipt } from '../../http/transfer/reply-with-receipt.ts';
import type { Transfers } from '../../http/transfer/transfers.ts';
import { tusType } from '../../http/transfer/tus.ts';
import { toAskFormProps } from '../links/ask-routes.tsx';
import { uploads } from '../links/link-pages.ts';
import type { PageEngines } from '../links/page-engines.ts';
import { requireLink, requireSession } from '../links/session.ts';
import { replyWithStep } from '../links/step-routes.tsx';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { requireOwnForm } from '../shared/person.ts';
import { receiveForm, type Written } from './receive-form.ts';
import { SentPage, sentTitle } from './sent-page.tsx';
import { islandTexts, UploadPage, type UploadPageProps, uploadTitle } from './upload-page.tsx';

const config = { authentication: 'link-session' } as const;
const home = `${uploads.home}/:handle/`;
const Message = Type.Object({
  message: Type.String({ maxLength: limits.messageLength }),
  wanted: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ format: 'uuid' }),
        number: Type.Integer({ minimum: 0, maximum: limits.wantedFilesPerRequest - 1 }),
      }),
      { maxItems: limits.filesPerDraft },
    ),
  ),
});
/** The size of a message in JSON, where each character may be escaped. */
const messageBytes = 6 * limits.messageLength + 100 * limits.filesPerDraft + 1024;
/** The number of earlier sendings, and of their files, that a page shows; of the last one it shows all files. */
const shown = { sendings: 10, files: 200 };
const shownOfLast = { sendings: 1, files: limits.filesPerDraft };

/**
 * The contact's page, after a person opened the link: first the files being uploaded and "Send", then the files that
 * were sent.
 */
export function uploadPages(app: App, engines: PageEngines, transfers: Transfers, options: PageOptions): void {
  // A form with files is read as it arrives.
  app.addContentTypeParser('multipart/form-data', async (_request: unknown, body: Readable) => body);

  app.route({
    method: ['GET', 'HEAD'],
    url: home,
    config,
    handler: async (request, reply) => {
      const session = await requireSession(engines, request, uploads);
      const step = findPendingStep(engines, session);
      if (step) return replyWithStep(engines, options, request, reply, session, step);
      const [draftFiles, sent] = await Promise.all([
        listDraftFiles(engines, session.link),
        listSendings(engines, session.link, shown),
      ]);
      const [last, ...earlier] = sent;
      if (last && (draftFiles.length === 0 || session.link.usedUp)) {
        const [whole = last] =
          last.fileCount > last.files.length ? await listSendings(engines, session.link, shownOfLast) : [];
        return replyWithSentPage(options, request, reply, session.link, whole, earlier);
      }
      requireUnused(session.link);
      return replyWithUploadPage(engines, options, request, reply, session.link);
    },
  });

  app.get(`${home}more`, { config }, async (request, reply) => {
    const link = await requireLink(engines, request, uploads);
    if (link.usedUp) return reply.redirect(withChosenLanguage(request, readPath(request)), 303);
    return replyWithUploadPage(engines, options, request, reply, link);
  });

  for (const format of receiptFormats)
    app.get(`${home}receipt.${format}`, { config }, async (request, reply) => {
      const { accountId, dropId, position, language } = await requireLink(engines, request, uploads);
      const { locale } = chooseTranslator(options, request, language);
      const story = { accountId, dropId, position };
      return replyWithReceipt(engines, reply, { ...story, type: 'request', format, languages: [locale] });
    });

  // A browser without scripts sends everything in one request.
  app.post(home, { config: { ...config, transfer: true } }, async (request, reply) => {
    const link = await requireLink(engines, request, uploads);
    requireOwnForm(request);
    requireUnused(link);
    const written: Written = { message: '' };
    try {
      await receiveForm(engines, link, request.headers['content-type'] ?? '', request.body, written, request);
      await sendFiles(engines, link, written.message, request.peer, written.places);
      // Redirected, because a reload must not send the form again.
      return reply.redirect(withChosenLanguage(request, readPath(request)), 303);
    } catch (error) {
      const problem = error instanceof ExchangeError ? problems[error.code] : undefined;
      if (!problem) throw error;
      return replyWithUploadPage(engines, options, request, reply.code(422), link, {
        problem,
        problemFile: written.fileName,
        written: written.message,
      });
    }
  });

  app.register(async (scope) => scriptEndpoints(scope as unknown as App, engines, transfers));
}

/** The endpoints of the page's script: every response is JSON, even an error. */
function scriptEndpoints(app: App, engines: PageEngines, transfers: Transfers): void {
  app.setErrorHandler(replyWithError);
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: messageBytes },
    async (_request: unknown, body: Buffer) => parseJson(body),
  );
  tusEndpoint(app, engines, transfers);

  app.get(`${home}files`, { config }, async (request) => {
    const link = await requireLink(engines, request, uploads);
    return listDraftFiles(engines, link);
  });

  app.post(`${home}send`, { config, schema: { body: Message } }, async (request) => {
    const link = await requireLink(engines, request, uploads);
    requireOwnForm(request);
    const { message, wanted = [] } = request.body;
    const places = new Map(wanted.map(({ id, number }) => [id, number]));
    const files = await sendFiles(engines, link, message, request.peer, places);
    // Named by their paths, because a name may have a number that distinguishes it from the same name in other folders.
    return { files: files.map(({ path: name, sizeBytes }) => ({ name, sizeBytes })) };
  });
}

/** Errors that a person who sent the plain form can fix, and that are shown on the form itself. */
const problems: Partial<Record<ErrorCode, NonNullable<UploadPageProps['problem']>>> = {
  no_files: 'no_files',
  too_many_files: 'too_many_files',
  too_large: 'too_large',
  storage_full: 'storage_full',
  infected: 'infected',
  too_large_to_scan: 'too_large_to_scan',
  encrypted: 'encrypted',
  invalid_name: 'invalid_name',
  files_not_ready: 'files_not_ready',
  malformed_request: 'cut_off',
};

async function replyWithUploadPage(
  engines: PageEngines,
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  link: Link,
  refused: Pick<UploadPageProps, 'problem' | 'problemFile' | 'written'> = {},
): Promise<FastifyReply> {
  const [draftFiles, sent, { bytes: maxFileBytes, reason: sizeReason }, wanted] = await Promise.all([
    listDraftFiles(engines, link),
    listSendings(engines, link, shown),
    findLinkFileSizeLimit(engines, link),
    findWantedThrough(engines, link),
  ]);
  const translator = chooseTranslator(options, request, link.language);
  const path = readPath(request);
  const props: UploadPageProps = {
    sender: { name: link.senderName, address: link.sender },
    reference: toReference(link.dropId),
    title: link.title,
    wanted,
    message: link.message,
    deadline: link.expiresAt,
    once: !link.reusable,
    isUnsolicited: link.isUnsolicited,
    asking: toAskFormProps(request, link),
    plainAction: withChosenLanguage(request, path),
    sendAction: `${path}send`,
    filesEndpoint: `${path}files`,
    tusEndpoint: `${path}tus`,
    draftKey: createHash('sha256').update(contactDraftName(link)).digest('base64url'),
    doneAction: withChosenLanguage(request, `${path}done`),
    received: draftFiles.flatMap(({ path: name, sizeBytes, scan, unscannedReason }) =>
      scan ? { name, sizeBytes, scan, unscannedReason } : [],
    ),
    sent,
    maxFiles: limits.filesPerDraft,
    maxFileBytes,
    sizeReason,
    wordsJson: islandTexts(translator),
    ...refused,
  };
  return replyWithPage(options, request, reply, translator, {
    title: uploadTitle(translator, props),
    page: <UploadPage {...props} />,
    path,
    script: 'upload',
  });
}

function replyWithSentPage(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  link: Link,
  last: Sending,
  earlier: readonly Sending[],
): Promise<FastifyReply> {
  const translator = chooseTranslator(options, request, link.language);
  const path = readPath(request);
  const props = {
    sender: { name: link.senderName, address: link.sender },
    reference: toReference(link.dropId),
    last,
    earlier,
    more: link.usedUp ? undefined : { href: withChosenLanguage(request, `${path}more`), until: link.expiresAt },
    receiptHref: `${path}receipt`,
    doneAction: withChosenLanguage(request, `${path}done`),
  };
  return replyWithPage(options, request, reply, translator, {
    title: sentTitle(translator),
    page: <SentPage {...props} />,
  });
}

function readPath(request: FastifyRequest): string {
  return `${uploads.home}/${(request.params as { handle: string }).handle}/`;
}

/** Resumable uploads for the contact's page. */
function tusEndpoint(app: App, engines: PageEngines, transfers: Transfers): void {
  // Handlers read the body as it arrives.
  app.addContentTypeParser(tusType, async (_request: unknown, body: Readable) => body);

  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const link = await requireLink(engines, request, uploads);
    requireOwnForm(request);
    return handleContactTus(engines, { link, transfers, request, reply, path: `${readPath(request)}tus` });
  };
  app.route({ config, handler, method: ['POST', 'OPTIONS'], url: `${uploads.home}/:handle/tus` });
  app.route({ config, handler, method: ['HEAD', 'PATCH', 'DELETE'], url: `${uploads.home}/:handle/tus/:id` });
}
