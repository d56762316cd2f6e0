import type { JSX } from 'preact';
import { isolate, oneLine } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { AskForm, type Asking } from './components/ask-form.tsx';
import { Breakable } from './components/breakable.tsx';
import { ButtonLink } from './components/button.tsx';
import { Card, Fields } from './components/card.tsx';
import { fillText } from './components/fill-text.ts';
import { Moment } from './components/moment.tsx';
import { fromField, type Sender } from './components/sender.tsx';

export type LinkKind = 'download' | 'upload';

/** A link that worked once. */
export interface EndedLink {
  readonly kind: LinkKind;
  readonly sender: Sender;
  readonly reference: string;
  readonly sentAt: Date;
  readonly expiresAt: Date;
  /** When it was disabled; null if it was not. */
  readonly revokedAt: Date | null;
}

export interface GonePageProps {
  readonly reason: keyof typeof texts;
  readonly link?: EndedLink | undefined;
  readonly asking?: Asking | undefined;
}

const texts = {
  expired: { icon: 'clock', title: 'gone.expired.title', text: 'gone.expired.text' },
  revoked: { icon: 'stop', title: 'gone.revoked.title', text: 'gone.revoked.text' },
  not_opened: { icon: 'question', title: 'gone.not_opened.title', text: 'gone.not_opened.text' },
  unknown: { icon: 'question', title: 'gone.unknown.title', text: 'gone.unknown.text' },
  not_yours: { icon: 'question', title: 'gone.not_yours.title', text: 'gone.not_yours.text' },
  nothing: { icon: 'question', title: 'gone.nothing.title', text: 'gone.nothing.text' },
  machines: { icon: 'lock', title: 'gone.machines.title', text: 'gone.machines.text' },
  refused: { icon: 'stop', title: 'gone.refused.title', text: 'gone.refused.text' },
  too_many: { icon: 'clock', title: 'gone.too_many.title', text: 'gone.too_many.text' },
  busy: { icon: 'clock', title: 'gone.busy.title', text: 'gone.busy.text' },
  closed: { icon: 'check', title: 'gone.closed.title', text: 'gone.closed.text' },
} as const;

/** The same about a link whose sender is known. */
const endedTexts = {
  expired: {
    title: 'gone.expired.titleFrom',
    download: 'gone.expired.download',
    upload: 'gone.expired.upload',
  },
  revoked: {
    title: 'gone.revoked.titleFrom',
    download: 'gone.revoked.download',
    upload: 'gone.revoked.upload',
  },
} as const;

function findEndedTexts({ reason, link }: Pick<GonePageProps, 'reason' | 'link'>) {
  return link && (reason === 'expired' || reason === 'revoked') ? { link, ended: endedTexts[reason] } : undefined;
}

export function goneTitle(translator: ViewTranslator, props: Pick<GonePageProps, 'reason' | 'link'>): string {
  const known = findEndedTexts(props);
  return known
    ? translator.t(known.ended.title, { sender: isolate(known.link.sender.name) })
    : translator.t(texts[props.reason].title);
}

function MailLink({ sender: { address }, reference }: EndedLink): JSX.Element {
  return (
    <a href={`mailto:${encodeURIComponent(address).replace('%40', '@')}?subject=${encodeURIComponent(reference)}`}>
      <Breakable>{oneLine(address)}</Breakable>
    </a>
  );
}

/** Says what happened to a page that does not open or is closed, and what to do about it. */
export function GonePage(props: GonePageProps): JSX.Element {
  const translator = useTranslator();
  const { reason, link, asking } = props;
  const known = findEndedTexts(props);
  return (
    <Card
      icon={texts[reason].icon}
      reference={link?.reference}
      title={goneTitle(translator, props)}
      about={
        <>
          <p class="lead">
            {known
              ? fillText(translator, known.ended[known.link.kind], {
                  until: <Moment at={known.link.expiresAt} />,
                  at: <Moment at={known.link.revokedAt ?? known.link.expiresAt} />,
                  address: <MailLink {...known.link} />,
                })
              : translator.t(texts[reason].text)}
          </p>
          {link && (
            <Fields
              fields={[...fromField(translator, link.sender), [translator.t('sent.at'), <Moment at={link.sentAt} />]]}
            />
          )}
        </>
      }
    >
      {asking && <AskForm {...asking} />}
      {reason === 'not_yours' && <ButtonLink href="/home">{translator.t('gone.not_yours.home')}</ButtonLink>}
    </Card>
  );
}
