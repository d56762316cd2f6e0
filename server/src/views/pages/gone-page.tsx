import type { JSX } from 'preact';
import { AskForm, type Asking } from '../components/ask-form.tsx';
import { Card, Fields } from '../components/card.tsx';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { oneLine } from '../plain.ts';

export interface GonePageProps {
  readonly reason: keyof typeof texts;
  /** The sender, for a link that worked once. */
  readonly link?: { readonly sender: string; readonly reference: string } | undefined;
  readonly asking?: Asking | undefined;
}

const texts = {
  expired: { icon: 'clock', title: 'gone.expired.title', text: 'gone.expired.text' },
  revoked: { icon: 'stop', title: 'gone.revoked.title', text: 'gone.revoked.text' },
  not_opened: { icon: 'question', title: 'gone.not_opened.title', text: 'gone.not_opened.text' },
  unknown: { icon: 'question', title: 'gone.unknown.title', text: 'gone.unknown.text' },
  nothing: { icon: 'question', title: 'gone.nothing.title', text: 'gone.nothing.text' },
  machines: { icon: 'lock', title: 'gone.machines.title', text: 'gone.machines.text' },
  refused: { icon: 'stop', title: 'gone.refused.title', text: 'gone.refused.text' },
  too_many: { icon: 'clock', title: 'gone.too_many.title', text: 'gone.too_many.text' },
  busy: { icon: 'clock', title: 'gone.busy.title', text: 'gone.busy.text' },
  closed: { icon: 'check', title: 'gone.closed.title', text: 'gone.closed.text' },
} as const;

export function goneTitle(translator: ViewTranslator, { reason }: Pick<GonePageProps, 'reason'>): string {
  return translator.t(texts[reason].title);
}

/** Says what happened to a page that does not open or is closed, and what to do about it. */
export function GonePage({ reason, link, asking }: GonePageProps): JSX.Element {
  const translator = useTranslator();
  const { icon, title, text } = texts[reason];
  return (
    <Card
      icon={icon}
      title={translator.t(title)}
      about={
        <>
          <p class="lead">{translator.t(text)}</p>
          {link && (
            <Fields
              fields={[
                [translator.t('common.from'), oneLine(link.sender)],
                [translator.t('common.reference'), link.reference],
              ]}
            />
          )}
        </>
      }
    >
      {asking && <AskForm {...asking} />}
    </Card>
  );
}
