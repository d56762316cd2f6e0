import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { LinkSession } from '../../domain/links/link-store.ts';
import { findPendingStep } from '../../domain/links/second-factor.ts';
import { enterPassphrase } from '../../domain/passphrases/passphrase.ts';
import type { App } from '../../http/shared/app.ts';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { requireOwnForm, toForm } from '../shared/person.ts';
import { replyWithCodePage } from './code-routes.tsx';
import { findPages, type LinkPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { PassphrasePage, type PassphrasePageProps, passphraseTitle } from './passphrase-page.tsx';
import { requireSession } from './session.ts';

const config = { authentication: 'code-pending' } as const;

/** The page on which a person enters the passphrase of a delivery or request. */
export function passphrasePages(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  app.post(`${pages.home}/:handle/passphrase`, { config }, async (request, reply) => {
    const session = await requireSession(engines, request, pages);
    requireOwnForm(request);
    const onwards = () => reply.redirect(withChosenLanguage(request, './'), 303);
    if (findPendingStep(engines, session) !== 'passphrase') return onwards();
    const typed = toForm(request).get('passphrase') ?? '';
    try {
      if (await enterPassphrase(engines, session, typed, request.peer)) return onwards();
    } catch (error) {
      if (!(error instanceof ExchangeError && error.code === 'too_many_requests')) throw error;
      const seconds = error.retryAfterSeconds ?? 60;
      reply.code(429).header('retry-after', String(seconds));
      const waitMinutes = Math.ceil(seconds / 60);
      return replyWithPassphrasePage(options, request, reply, session, { problem: 'too_many_tries', waitMinutes });
    }
    return replyWithPassphrasePage(options, request, reply.code(403), session, { problem: 'wrong' });
  });
}

/** The page for what this browser has to enter before it gets any further. */
export function replyWithStep(
  engines: Pick<PageEngines, 'store' | 'policy' | 'sms'>,
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  session: LinkSession,
  step: 'passphrase' | 'code',
): Promise<FastifyReply> {
  return step === 'code'
    ? replyWithCodePage(engines, options, request, reply, session)
    : replyWithPassphrasePage(options, request, reply, session);
}

function replyWithPassphrasePage(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  { link }: LinkSession,
  told: Pick<PassphrasePageProps, 'problem' | 'waitMinutes'> = {},
): Promise<FastifyReply> {
  const translator = chooseTranslator(options, request, link.language);
  const { kind, home } = findPages(link);
  const props = {
    kind,
    sender: { name: link.senderName, address: link.sender },
    action: withChosenLanguage(request, 'passphrase'),
    ...told,
  };
  return replyWithPage(options, request, reply, translator, {
    title: passphraseTitle(translator),
    page: <PassphrasePage {...props} />,
    path: `${home}/${(request.params as { handle: string }).handle}/`,
  });
}
