import type { FastifyReply, FastifyRequest } from 'fastify';
import { codeSeconds, isCodeShaped, issueCode, mayIssueCode } from '../../domain/links/issue-code.ts';
import type { LinkSession } from '../../domain/links/link-store.ts';
import { maxTries, passCode } from '../../domain/links/open-link.ts';
import { codeTarget, isPassed } from '../../domain/links/second-factor.ts';
import type { App } from '../../http/shared/app.ts';
import { chooseTranslator, type PageOptions, replyWithPage, withChosenLanguage } from '../shared/page.ts';
import { requireOwnForm, toForm } from '../shared/person.ts';
import { CodePage, type CodePageProps, codeTitle } from './code-page.tsx';
import { findPages, type LinkPages } from './link-pages.ts';
import type { PageEngines } from './page-engines.ts';
import { requireSession } from './session.ts';

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
    if (!isPassed(engines, session) && !isCodeShaped(typed)) {
      return replyWithCodePage(
        engines,
        options,
        request,
        reply.code(403),
        session,
        (await standing(engines, session)) ?? 'shape',
      );
    }
    const right = !isPassed(engines, session) && (await passCode(engines, session, typed, request.peer));
    const tried = await requireSession(engines, request, pages);
    // The same form may have been sent twice at once, and the other one may have passed.
    if (right || isPassed(engines, tried)) return reply.redirect(withChosenLanguage(request, './'), 303);
    const problem = (await standing(engines, tried)) ?? 'wrong';
    return replyWithCodePage(engines, options, request, reply.code(403), tried, problem);
  });

  app.post(`${home}resend`, { config }, async (request, reply) => {
    const session = await requireSession(engines, request, pages);
    requireOwnForm(request);
    if (isPassed(engines, session)) return reply.redirect(withChosenLanguage(request, './'), 303);
    const result = await issueCode(engines, session.link, session.digest);
    if (result !== 'too_many_codes') return reply.redirect(withChosenLanguage(request, `./?${newCode}`), 303);
    return replyWithCodePage(engines, options, request, reply.code(429), session, 'too_many_codes');
  });
}

export async function replyWithCodePage(
  engines: Pick<PageEngines, 'store' | 'policy' | 'sms'>,
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  session: LinkSession,
  told?: CodePageProps['problem'],
): Promise<FastifyReply> {
  const problem = told ?? (await standing(engines, session));
  const target = codeTarget(engines, session.link) ?? { channel: 'mail', to: session.link.receiver };
  const translator = chooseTranslator(options, request, session.link.language);
  const { kind, home } = findPages(session.link);
  const props: CodePageProps = {
    kind,
    sender: session.link.senderName,
    channel: target.channel,
    target: target.channel === 'sms' ? maskedNumber(target.to) : maskedAddress(target.to),
    action: withChosenLanguage(request, 'code'),
    resendAction: withChosenLanguage(request, 'resend'),
    sentAt: session.code && new Date(session.code.expiresAt.getTime() - codeSeconds * 1000),
    validUntil: session.code?.expiresAt,
    isNew: (request.query as { code?: unknown }).code === 'new',
    problem,
    triesLeft: problem === 'wrong' && session.code ? maxTries - session.code.tries : undefined,
  };
  return replyWithPage(options, request, reply, translator, {
    title: codeTitle(translator),
    page: <CodePage {...props} />,
    path: `${home}/${(request.params as { handle: string }).handle}/`,
  });
}

/** Finds the reason why this browser can no longer enter its code, or cannot get another. */
async function standing(
  engines: Pick<PageEngines, 'store' | 'policy' | 'sms'>,
  { link, code }: LinkSession,
): Promise<CodePageProps['problem']> {
  if (code && !code.expired && code.tries < maxTries) return undefined;
  if (!(await mayIssueCode(engines, link))) return 'too_many_codes';
  // A browser without a code opened the link when none was required, or when too many had been sent.
  return code && !code.expired ? 'too_many_tries' : 'expired';
}

/** Shows enough to know which phone or mailbox to look at, but not enough to learn the number or address. */
const maskedNumber = (number: string) => `•••• ${number.slice(-3)}`;
const maskedAddress = (address: string) => address.replace(/^(.).*(?=@)/, '$1•••');
