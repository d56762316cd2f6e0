import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { findCorrespondence, reportSender, resumeMail, stopMail } from '../../domain/stops/stop-mail.ts';
import type { Correspondence } from '../../domain/stops/stop-store.ts';
import type { App } from '../../http/shared/app.ts';
import { limitGuesses } from '../../http/shared/limit-guesses.ts';
import { askToConfirm, isConfirmed } from '../shared/confirm.tsx';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { formBytes, gestureField, requireOwnForm, toForm } from '../shared/person.ts';
import type { PageEngines } from './page-engines.ts';
import { StopPage, stopTitle } from './stop-page.tsx';

const choices = { stop: stopMail, resume: resumeMail, report: reportSender };

/**
 * `/m/{token}`: the page on which the reader of a mail stops or reports its sender. A visit changes nothing, because
 * scanners visit every link.
 */
export function stopPages(app: App, engines: PageEngines, options: PageOptions): void {
  const config = { authentication: 'link' } as const;
  const url = '/m/:token';
  const find = async (request: FastifyRequest) => {
    const found = await limitGuesses(engines, request, (token) => findCorrespondence(engines, token));
    request.dropId = found.link.dropId;
    return found;
  };
  const show = (request: FastifyRequest, reply: FastifyReply, about: Correspondence) => {
    const translator = chooseTranslator(options, request, about.language);
    const { address, stopped, reported } = about;
    const path = request.url.split('?', 1)[0] as string;
    const makeAction = (choice: keyof typeof choices) => withChosenLanguage(request, `${path}/${choice}`);
    const sender = { name: about.senderName, address: about.sender };
    const page = (
      <StopPage
        sender={sender}
        address={address}
        operator={options.operator.name}
        stopped={stopped}
        reported={reported}
        canReport={engines.policy.supportAddress !== undefined}
        stopAction={makeAction('stop')}
        resumeAction={makeAction('resume')}
        reportAction={makeAction('report')}
        gesture={gestureField}
      />
    );
    return replyWithPage(options, request, reply, translator, {
      title: stopTitle(translator, { stopped, sender }),
      page,
    });
  };

  app.get(url, { config }, async (request, reply) => show(request, reply, await find(request)));
  app.head(url, { config }, async (request, reply) => {
    await find(request);
    return reply.type('text/html; charset=utf-8').send();
  });

  // A mail program sends this for its reader (RFC 8058): without a page, a cookie or a browser's headers.
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer', bodyLimit: formBytes }, parseMultipart);
  app.post(url, { config }, async (request, reply) => {
    const found = await find(request);
    if (toForm(request).get('List-Unsubscribe') === 'One-Click') await stopMail(engines, found, request.peer);
    return show(request, reply, await find(request));
  });

  for (const [choice, make] of Object.entries(choices)) {
    app.post(`${url}/${choice}`, { config }, async (request, reply) => {
      const found = await find(request);
      requireOwnForm(request);
      const translator = chooseTranslator(options, request, found.language);
      // A scanner that posts forms must not change anything.
      if (!isConfirmed(request, translator)) return askToConfirm(options, request, reply, translator, 'mail');
      await make(engines, found, request.peer);
      const { token } = request.params as { token: string };
      return reply.redirect(withChosenLanguage(request, `/m/${token}`), 303);
    });
  }
}

async function parseMultipart({ headers }: FastifyRequest, body: Buffer): Promise<URLSearchParams> {
  const content = new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } });
  const form = await content.formData().catch((cause: unknown) => {
    throw new ExchangeError('malformed_request', undefined, { cause });
  });
  const fields = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value);
  return fields;
}
