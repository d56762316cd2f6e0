import type { FastifyReply } from 'fastify';
import { LeavePage, leaveTitle } from '../../views/pages/app/link-identity-page.tsx';
import type { Visit } from './app-route.ts';
import { replyWithAppPage } from './reply-with-app-page.ts';

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
