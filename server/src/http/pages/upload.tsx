import type { Readable } from 'node:stream';
import { type ErrorCode, limits } from '@waybill/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { deskOf } from '../../domain/grants/desk.ts';
import { sendFiles } from '../../domain/grants/send-files.ts';
import { isPassed } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/ports/index.ts';
import { SentPage, sentTitle } from '../../views/pages/sent-page.tsx';
import { islandTexts, UploadPage, type UploadPageProps, uploadTitle } from '../../views/pages/upload-page.tsx';
import type { App } from '../app.ts';
import { parseJson } from '../json-body.ts';
import { answerError } from '../json-errors.ts';
import { sendCodePage } from './code.tsx';
import { uploads } from './link-pages.ts';
import { inChosenLanguage, type PageOptions, sendPage, wordsFor } from './page.ts';
import { requireOwnForm } from './person.ts';
import { receiveForm, type Written } from './receive-form.ts';
import type { PageEngines } from './routes.tsx';
import { linkOfSession, sessionOf } from './session.ts';
import { tusEndpoint } from './tus.ts';

const config = { authentication: 'link-session' } as const;
const home = `${uploads.home}/:handle/`;
const Message = Type.Object({ message: Type.String({ maxLength: limits.messageLength }) });
/** Of a message in JSON, where each character may be escaped. */
const messageBytes = 6 * limits.messageLength + 1024;

/** The contact's page, after a person opened the link: files on their way, and "send". */
export function uploadPages(app: App, engines: PageEngines, options: PageOptions): void {
  // A form with files is read as it arrives.
  app.addContentTypeParser('multipart/form-data', async (_request: unknown, body: Readable) => body);

  app.route({
    method: ['GET', 'HEAD'],
    url: home,
    config,
    handler: async (request, reply) => {
      const session = await sessionOf(engines, request, uploads);
      if (!isPassed(engines, session)) return sendCodePage(engines, options, request, reply, session);
      return sendUploadPage(engines, options, request, reply, session.link);
    },
  });

  // Without a script: the whole of it in one request.
  app.post(home, { config: { ...config, transfer: true } }, async (request, reply) => {
    const link = await linkOfSession(engines, request, uploads);
    requireOwnForm(request);
    const written: Written = { message: '' };
    try {
      await receiveForm(engines, link, request.headers['content-type'] ?? '', request.body, written, request);
      const files = await sendFiles(engines, link, written.message);
      const words = wordsFor(options, request, link.language);
      const props = { sender: link.sender, files, doneAction: inChosenLanguage(request, 'done') };
      return await sendPage(options, request, reply, words, { title: sentTitle(words), page: <SentPage {...props} /> });
    } catch (error) {
      const problem = error instanceof ExchangeError ? problems[error.code] : undefined;
      if (!problem) throw error;
      return sendUploadPage(engines, options, request, reply.code(422), link, { problem, written: written.message });
    }
  });

  app.register(async (scope) => scriptEndpoints(scope as unknown as App, engines));
}

/** What the page's script talks to: it is answered in JSON, also when it is refused. */
function scriptEndpoints(app: App, engines: PageEngines): void {
  app.setErrorHandler(answerError);
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: messageBytes },
    async (_request: unknown, body: Buffer) => parseJson(body),
  );
  tusEndpoint(app, engines);

  app.get(`${home}files`, { config }, async (request) => {
    const link = await linkOfSession(engines, request, uploads);
    return engines.store.uploads.desk(link.accountId, deskOf(link));
  });

  app.post(`${home}send`, { config, schema: { body: Message } }, async (request) => {
    const link = await linkOfSession(engines, request, uploads);
    requireOwnForm(request);
    const files = await sendFiles(engines, link, request.body.message);
    return { files: files.map(({ name, sizeBytes }) => ({ name, sizeBytes })) };
  });
}

/** What a person who sent the plain form can fix, and is told on the form itself. */
const problems: Partial<Record<ErrorCode, NonNullable<UploadPageProps['problem']>>> = {
  no_files: 'no_files',
  too_many_files: 'too_many_files',
  too_large: 'too_large',
  infected: 'infected',
  too_large_to_scan: 'too_large_to_scan',
  encrypted: 'encrypted',
  invalid_name: 'invalid_name',
  files_not_ready: 'files_not_ready',
  malformed_request: 'cut_off',
};

async function sendUploadPage(
  engines: PageEngines,
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  link: Link,
  refused: Pick<UploadPageProps, 'problem' | 'written'> = {},
): Promise<FastifyReply> {
  const desk = await engines.store.uploads.desk(link.accountId, deskOf(link));
  const words = wordsFor(options, request, link.language);
  const path = `${uploads.home}/${(request.params as { handle: string }).handle}`;
  const props: UploadPageProps = {
    sender: link.sender,
    message: link.message,
    deadline: link.expiresAt,
    plainAction: inChosenLanguage(request, `${path}/`),
    sendAction: `${path}/send`,
    filesEndpoint: `${path}/files`,
    tusEndpoint: `${path}/tus`,
    doneAction: inChosenLanguage(request, `${path}/done`),
    received: desk.filter((file) => file.state === 'ready'),
    maxFiles: limits.filesPerDraft,
    maxFileBytes: engines.policy.maxFileBytes,
    wordsJson: islandTexts(words),
    ...refused,
  };
  return sendPage(options, request, reply, words, {
    title: uploadTitle(words, props),
    page: <UploadPage {...props} />,
    script: 'upload.tsx',
  });
}
