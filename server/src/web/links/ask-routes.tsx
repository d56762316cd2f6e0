import type { FastifyReply, FastifyRequest } from 'fastify';
import { askSender, chooseQuestion } from '../../domain/links/ask-sender.ts';
import { EndedLinkError } from '../../domain/links/find-link.ts';
import type { Link } from '../../domain/links/link-store.ts';
import type { App } from '../../http/shared/app.ts';
import type { Asking } from '../shared/components/ask-form.tsx';
import { askToConfirm, isConfirmed } from '../shared/confirm.tsx';
import { chooseTranslator, type PageOptions, withChosenLanguage } from '../shared/page.ts';
import { gestureField, requireOwnForm } from '../shared/person.ts';
import { findPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';

/**
 * The page on which a receiver asks the sender for more time, or to send the files again. `find` looks up the link and
 * throws if it has ended.
 */
export function askPage(
  app: App,
  engines: PageEngines,
  options: PageOptions,
  url: string,
  authentication: 'link' | 'link-session',
  find: (request: FastifyRequest) => Promise<Link>,
): void {
  app.post(url, { config: { authentication } }, async (request: FastifyRequest, reply: FastifyReply) => {
    const link = await find(request).catch((error: unknown) => {
      if (error instanceof EndedLinkError) return error.link;
      throw error;
    });
    requireOwnForm(request);
    const translator = chooseTranslator(options, request, link.language);
    // A scanner that posts forms must not cause a mail to be sent.
    if (!isConfirmed(request, translator))
      return askToConfirm(options, request, reply, translator, findPages(link).kind);
    await askSender(engines, link, request.peer);
    const page = request.url.split('?', 1)[0]?.replace(/\/ask$/, '') ?? '';
    return reply.redirect(withChosenLanguage(request, authentication === 'link' ? page : `${page}/`), 303);
  });
}

/** The question that the receiver of this link may ask the sender, for the page to show. */
export function toAskFormProps(request: FastifyRequest, link: Link): Asking | undefined {
  const question = chooseQuestion(link);
  if (!question) return undefined;
  return {
    question,
    sender: link.senderName,
    asked: link.asked.includes(question),
    isRevoked: link.revoked,
    action: withChosenLanguage(request, `${findAddress(request, link)}ask`),
    gesture: gestureField,
  };
}

function findAddress(request: FastifyRequest, link: Link): string {
  const { landing, home } = findPages(link);
  const { token, handle } = request.params as { token?: string; handle?: string };
  return token === undefined ? `${home}/${handle}/` : `${landing}/${token}/`;
}
