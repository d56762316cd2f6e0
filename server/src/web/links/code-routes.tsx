import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { readCodeState } from '../../domain/links/code-state.ts';
import { isCodeShaped, issueCode } from '../../domain/links/issue-code.ts';
import type { LinkSession } from '../../domain/links/link-store.ts';
import { passCode } from '../../domain/links/open-link.ts';
import { findPendingStep } from '../../domain/links/second-factor.ts';
import type { App } from '../../http/shared/app.ts';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { requireOwnForm, toForm } from '../shared/person.ts';
import { CodePage, type CodePageProps, codeTitle } from './code-page.tsx';
import { findPages, type LinkPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { requireSession } from './session.ts';
import { replyWithWhichCode } from './which-routes.tsx';

/** Marks the address that a browser is led to after it asked for another code. */
const newCode = 'code=new';

const config = { authentication: 'code-pending' } as const;

/** The page on which a person enters the code that was sent to them, or asks for another. */
export function codePages(app: App, engines: PageEngines, options: PageOptions, pages: LinkPages): void {
  const home = `${pages.home}/:handle/`;

  app.post(`${home}code`, { config }, async (request, reply) => {
    const session = await requireSession(engines, request, pages);
    requireOwnForm(request);
    const typed = toForm(request).get('code') ?? '';
    // A typing mistake is not a guess: it does not use up a try.
    const step = findPendingStep(engines, session);
    if (step === 'passphrase') throw new ExchangeError('passphrase_required');
    if (step && !isCodeShaped(typed)) {
      return replyWithCodePage(engines, options, request, reply.code(403), session, { unlessWorse: 'shape' });
    }
    const right = step && (await passCode(engines, session, typed, request.peer));
    const tried = await requireSession(engines, request, pages);
    // The same form may have been sent twice at once, and the other one may have passed.
    if (right || !findPendingStep(engines, tried)) return reply.redirect(withChosenLanguage(request, './'), 303);
    return replyWithCodePage(engines, options, request, reply.code(403), tried, { unlessWorse: 'wrong' });
  });

  app.post(`${home}resend`, { config }, async (request, reply) => {
    const session = await requireSession(engines, request, pages);
    requireOwnForm(request);
    // The address is not kept: it is entered again.
    if (findPendingStep(engines, session) !== 'code' || session.link.kind === 'named')
      return reply.redirect(withChosenLanguage(request, './'), 303);
    const result = await issueCode(engines, session.link, session.digest);
    if (result !== 'too_many_codes') return reply.redirect(withChosenLanguage(request, `./?${newCode}`), 303);
    return replyWithCodePage(engines, options, request, reply.code(429), session, { problem: 'too_many_codes' });
  });
}

export async function replyWithCodePage(
  engines: Pick<PageEngines, 'store' | 'policy' | 'sms'>,
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  session: LinkSession,
  told: {
    readonly problem?: CodePageProps['problem'];
    /** Unless the code can no longer be entered at all. */
    readonly unlessWorse?: CodePageProps['problem'];
  } = {},
): Promise<FastifyReply> {
  const state = await readCodeState(engines, session);
  if (session.link.kind === 'named') return replyWithWhichCode(options, request, reply, session, { ...told, state });
  const problem = told.problem ?? state.problem ?? told.unlessWorse;
  const translator = chooseTranslator(options, request, session.link.language);
  const { kind, home } = findPages(session.link);
  const props: CodePageProps = {
    kind,
    sender: session.link.senderName,
    channel: state.channel,
    target: state.target,
    action: withChosenLanguage(request, 'code'),
    resendAction: withChosenLanguage(request, 'resend'),
    sentAt: state.sentAt,
    validUntil: state.validUntil,
    isNew: (request.query as { code?: unknown }).code === 'new',
    problem,
    triesLeft: problem === 'wrong' && session.code ? state.triesLeft : undefined,
  };
  return replyWithPage(options, request, reply, translator, {
    title: codeTitle(translator),
    page: <CodePage {...props} />,
    path: `${home}/${(request.params as { handle: string }).handle}/`,
  });
}
