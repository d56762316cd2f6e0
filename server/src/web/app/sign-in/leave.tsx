import type { FastifyReply } from 'fastify';
import type { Visit } from '../shared/app-route.ts';
import { replyWithAppPage } from '../shared/reply-with-app-page.ts';
import { LeavePage, leaveTitle } from './link-identity-page.tsx';

/** Leads on to a provider after a form, which may not lead there itself. */
export function replyWithLeave(
  visit: Visit,
  { provider, url, isSignedOut }: { provider: string; url: string; isSignedOut?: boolean },
): Promise<FastifyReply> {
  const { reply, translator, host } = visit;
  reply.header('refresh', `0; url=${url}`);
  const page = <LeavePage host={host} provider={provider} href={url} isSignedOut={isSignedOut} />;
  return replyWithAppPage(visit, { title: leaveTitle(translator, { provider }), page, layout: 'sign-in' });
}
