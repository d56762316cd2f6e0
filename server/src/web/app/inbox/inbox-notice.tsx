import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Toast } from '../components/toast.tsx';

const notices = {
  reopen: 'inbox.reopened',
  release: 'inbox.released',
  block: 'inbox.blocked',
} as const;

/** The last change of an entry. The address of the page may name it, so that it can be shown after a redirect. */
export type InboxNotice = keyof typeof notices;

export function isInboxNotice(name: unknown): name is InboxNotice {
  return typeof name === 'string' && Object.hasOwn(notices, name);
}

export function InboxToast({ notice }: { notice: InboxNotice }): JSX.Element {
  const translator = useTranslator();
  return <Toast tone="good">{translator.t(notices[notice])}</Toast>;
}
