import type { FastifyReply } from 'fastify';
import { type PageContent, sendPage } from '../shared/page/page.ts';
import type { Visit } from './app-route.ts';

export function sendAppPage(
  { options, request, reply, translator }: Visit,
  content: PageContent,
): Promise<FastifyReply> {
  return sendPage(options, request, reply, translator, content);
}
