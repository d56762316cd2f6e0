import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Translator } from '../../present/texts/translator.ts';
import type { IconName } from './components/icon.tsx';
import { ConfirmPage, confirmTitle, isConfirmation } from './confirm-page.tsx';
import { type PageOptions, replyWithPage } from './page.ts';
import { isPersonsClick, toForm } from './person.ts';

/** Whether a person sent this form: they pressed its button, or typed the word that the page below asks for. */
export function isConfirmed(request: FastifyRequest, translator: Translator): boolean {
  const form = toForm(request);
  return isPersonsClick(request, form) || isConfirmation(translator, form.get('word') ?? '');
}

/** Replies with a page that asks for the word; its form goes to the same URL as the first one. */
export function askToConfirm(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  translator: Translator,
  icon: IconName,
  csrf?: string,
): Promise<FastifyReply> {
  const props = { icon, action: request.url, wrong: toForm(request).has('word'), csrf };
  return replyWithPage(options, request, reply, translator, {
    title: confirmTitle(translator),
    page: <ConfirmPage {...props} />,
  });
}
