import type { FastifyReply } from 'fastify';
import { type PageContent, replyWithPage } from '../../shared/page.ts';
import type { Visit } from './app-route.ts';

export function replyWithAppPage(
  { options, request, reply, translator }: Visit,
  content: PageContent,
): Promise<FastifyReply> {
  return replyWithPage(options, request, reply, translator, content);
}
