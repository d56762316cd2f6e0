import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExchangeError } from '../../domain/exchange-error.ts';
import type { Translator } from '../../present/texts/translator.ts';
import { ErrorPage, errorTitle } from './error-page.tsx';
import { findCutOff } from './find-cut-off.ts';
import { GonePage, type GonePageProps, goneTitle } from './gone-page.tsx';
import { chooseTranslator, type PageOptions, replyWithPage } from './page.ts';

/** Replies with an error as a page; the reason `error` means that it is our fault. The reply's status is already set. */
export function replyWithProblemPage(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  reason: GonePageProps['reason'] | 'error',
  { language, ...about }: Pick<GonePageProps, 'link' | 'asking'> & { readonly language?: string } = {},
): Promise<FastifyReply> {
  const translator = chooseTranslator(options, request, language);
  const cutOff = reason === 'unknown' || reason === 'nothing' ? findCutOff(request.url) : undefined;
  const gone = { ...about, ...(cutOff && { cutOff }) };
  const support = options.operator.supportAddress;
  return replyWithPage(
    options,
    request,
    reply,
    translator,
    reason === 'error'
      ? { title: errorTitle(translator), page: <ErrorPage requestId={request.id} support={support} /> }
      : toGonePage(translator, { reason: cutOff ? 'cut_off' : reason, ...gone }),
  );
}

function toGonePage(translator: Translator, props: GonePageProps) {
  return { title: goneTitle(translator, props), page: <GonePage {...props} /> };
}

/**
 * Whether a browser makes the request. Programs that accept HTML do not also accept XHTML, as every browser does, or
 * they send a key.
 */
export function wantsPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const accepted = headers.accept ?? '';
  const isBrowser = accepted.includes('text/html') && accepted.includes('application/xhtml+xml');
  return (method === 'GET' || method === 'HEAD') && isBrowser && headers.authorization === undefined;
}

/** The reason to show to a person who came to a URL of the machine API, or to one that does not exist. */
export function toReason({ code }: ExchangeError, status: number): GonePageProps['reason'] | 'error' {
  if (code === 'not_found') return 'nothing';
  if (status === 401 || status === 403) return 'machines';
  if (status === 429) return 'too_many';
  return status >= 500 ? 'error' : 'refused';
}
