import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Toast } from '../components/toast.tsx';

const notices = {
  created: ['good', 'contacts.notice.created'],
  saved: ['good', 'contacts.notice.saved'],
  removed: ['good', 'contacts.notice.removed'],
  removedSome: ['good', 'contacts.notice.removedSome'],
  grouped: ['good', 'contacts.notice.grouped'],
  imported: ['good', 'contacts.notice.imported'],
  nobody: ['warn', 'contacts.notice.nobody'],
  globalOnly: ['warn', 'contacts.notice.globalOnly'],
} as const;

/** The result of the last change. The address of the list names it, so that it can be shown after a redirect. */
export type ContactsNoticeName = keyof typeof notices;

export function ContactsNotice({ name }: { name: string }): JSX.Element | null {
  const translator = useTranslator();
  if (!Object.hasOwn(notices, name)) return null;
  const [tone, text] = notices[name as ContactsNoticeName];
  return <Toast tone={tone}>{translator.t(text)}</Toast>;
}
