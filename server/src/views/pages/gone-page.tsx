import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';

export interface GonePageProps {
  readonly reason: 'expired' | 'revoked' | 'unknown' | 'too_many' | 'busy' | 'closed';
}

const texts = {
  expired: { icon: 'clock', title: 'gone.expired.title', text: 'gone.expired.text' },
  revoked: { icon: 'stop', title: 'gone.revoked.title', text: 'gone.revoked.text' },
  unknown: { icon: 'question', title: 'gone.unknown.title', text: 'gone.unknown.text' },
  too_many: { icon: 'clock', title: 'gone.too_many.title', text: 'gone.too_many.text' },
  busy: { icon: 'clock', title: 'gone.busy.title', text: 'gone.busy.text' },
  closed: { icon: 'check', title: 'gone.closed.title', text: 'gone.closed.text' },
} as const;

export function goneTitle(words: ViewWords, { reason }: GonePageProps): string {
  return words.t(texts[reason].title);
}

/** A page that does not open, or is closed: what happened, and what to do about it. */
export function GonePage({ reason }: GonePageProps): JSX.Element {
  const words = useWords();
  const { icon, title, text } = texts[reason];
  return <Card icon={icon} title={words.t(title)} about={<p class="lead">{words.t(text)}</p>} />;
}
