import type { FastifyReply, FastifyRequest } from 'fastify';
import { isEmailAddress } from '../../domain/contacts/email-address.ts';
import type { CodeState } from '../../domain/links/code-state.ts';
import type { Link, LinkSession } from '../../domain/links/link-store.ts';
import { findPendingStep } from '../../domain/links/second-factor.ts';
import { sendCodeTo } from '../../domain/links/which-receiver.ts';
import type { App } from '../../http/shared/app.ts';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { gestureField, requireOwnForm, toForm } from '../shared/person.ts';
import type { CodePageProps } from './code-page.tsx';
import { findPages, type LinkPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { findSessionOf, requireSession } from './session.ts';
import { WhichCodePage, WhichPage, whichCodeTitle, whichTitle } from './which-page.tsx';

/**
 * The link for all receivers asks which of them somebody is. It responds to every address alike: nobody learns from it who
 * else gets the files.
 */
export function whichPage(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  app.post(`${pages.home}/:handle/which`, { config: { authentication: 'code-pending' } }, async (request, reply) => {
    const session = await requireSession(engines, request, pages);
    requireOwnForm(request);
    if (session.link.kind !== 'named' || findPendingStep(engines, session) === 'passphrase')
      return reply.redirect(withChosenLanguage(request, './'), 303);
    const typed = readAddress(request);
    if (!isEmailAddress(typed))
      return replyWithWhich(options, request, reply.code(400), session.link, request.url, { typed });
    await sendCodeTo(engines, session, typed);
    return reply.redirect(withChosenLanguage(request, './'), 303);
  });
}

/** The form of the landing page has the address already. */
export async function sendFirstCode(
  engines: PageEngines,
  request: FastifyRequest,
  secret: string,
  pages: LinkPages,
): Promise<void> {
  const typed = readAddress(request);
  if (isEmailAddress(typed)) await sendCodeTo(engines, await findSessionOf(engines, secret, pages), typed);
}

const readAddress = (request: FastifyRequest) => (toForm(request).get('email') ?? '').trim();

export function replyWithWhich(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  link: Link,
  action: string,
  wrong?: { readonly typed: string },
): Promise<FastifyReply> {
  const translator = chooseTranslator(options, request, link.language);
  const sender = { name: link.senderName, address: link.sender };
  return replyWithPage(options, request, reply, translator, {
    title: whichTitle(translator, sender),
    page: <WhichPage sender={sender} until={link.expiresAt} action={action} gesture={gestureField} wrong={wrong} />,
  });
}

export function replyWithWhichCode(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { link, code }: LinkSession,
  told: {
    readonly state: CodeState;
    readonly problem?: CodePageProps['problem'];
    readonly unlessWorse?: CodePageProps['problem'];
  },
): Promise<FastifyReply> {
  const wantsOther = (request.query as { address?: unknown }).address === 'other';
  if (!code || wantsOther) return replyWithWhich(options, request, reply, link, withChosenLanguage(request, 'which'));
  const translator = chooseTranslator(options, request, link.language);
  const problem = told.problem ?? told.state.problem ?? told.unlessWorse;
  const props = {
    sender: { name: link.senderName, address: link.sender },
    action: withChosenLanguage(request, 'code'),
    otherHref: withChosenLanguage(request, './?address=other'),
    problem,
    triesLeft: problem === 'wrong' ? told.state.triesLeft : undefined,
  };
  return replyWithPage(options, request, reply, translator, {
    title: whichCodeTitle(translator),
    page: <WhichCodePage {...props} />,
    path: `${findPages(link).home}/${(request.params as { handle: string }).handle}/`,
  });
}
