import type { FastifyReply } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import type { PageContent } from '../../shared/page.ts';
import { AppFrame, type Screen } from '../components/app-frame.tsx';
import type { MemberVisit } from './app-route.ts';
import { readFrame } from './frame.ts';
import { replyWithAppPage } from './reply-with-app-page.ts';

export interface ScreenContent extends Pick<PageContent, 'title' | 'script' | 'partStylesheet'> {
  /** The screen that the frame marks as the current one. */
  readonly screen: Screen;
  readonly page: VNode;
  /** Results of the last action. */
  readonly toasts?: ComponentChildren;
}

/** Replies with a page of an account in the app's frame. */
export async function replyWithScreen(
  visit: MemberVisit,
  { screen, page, toasts, ...content }: ScreenContent,
): Promise<FastifyReply> {
  const framed = (
    <AppFrame {...(await readFrame(visit))} current={screen} toasts={toasts}>
      {page}
    </AppFrame>
  );
  return replyWithAppPage(visit, { ...content, page: framed, layout: 'app' });
}
