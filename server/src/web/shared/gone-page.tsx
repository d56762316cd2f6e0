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
import { CutOffAddress, type CutOffLink, WholeLinkForm } from './components/whole-link.tsx';

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
  /** How much arrived of a link that was cut off, for the reason `cut_off`. */
  readonly cutOff?: CutOffLink | undefined;
}

const texts = {
  expired: { icon: 'clock', title: 'gone.expired.title', text: 'gone.expired.text' },
  revoked: { icon: 'stop', title: 'gone.revoked.title', text: 'gone.revoked.text' },
  used_up: { icon: 'clock', title: 'gone.used_up.title', text: 'gone.used_up.text' },
  forbidden: { icon: 'stop', title: 'gone.forbidden.title', text: 'gone.forbidden.text' },
  not_opened: { icon: 'question', title: 'gone.not_opened.title', text: 'gone.not_opened.text' },
  cut_off: { icon: 'link', title: 'gone.cut_off.title', text: 'gone.cut_off.text' },
  unknown: { icon: 'question', title: 'gone.unknown.title', text: 'gone.unknown.text' },
  not_yours: { icon: 'question', title: 'gone.not_yours.title', text: 'gone.not_yours.text' },
  nothing: { icon: 'question', title: 'gone.nothing.title', text: 'gone.nothing.text' },
  machines: { icon: 'lock', title: 'gone.machines.title', text: 'gone.machines.text' },
  refused: { icon: 'stop', title: 'gone.refused.title', text: 'gone.refused.text' },
  too_many: { icon: 'clock', title: 'gone.too_many.title', text: 'gone.too_many.text' },
  busy: { icon: 'clock', title: 'gone.busy.title', text: 'gone.busy.text' },
  closed: { icon: 'check', title: 'gone.closed.title', text: 'gone.closed.text' },
} as const;

/** The page to go on with, where nothing else is left to do. An empty address is that of the page itself. */
const steps: Partial<Record<GonePageProps['reason'], { readonly href: string; readonly text: string }>> = {
  nothing: { href: '/', text: 'gone.home' },
  machines: { href: '/', text: 'gone.home' },
  refused: { href: '/', text: 'gone.home' },
  not_yours: { href: '/home', text: 'gone.not_yours.home' },
  busy: { href: '', text: 'gone.again' },
};

/** Where the link itself is missing, or a part of it. */
const wantsLink: ReadonlySet<GonePageProps['reason']> = new Set(['cut_off', 'unknown', 'not_opened']);

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
  used_up: {
    title: 'gone.used_up.titleFrom',
    download: 'gone.used_up.download',
    upload: 'gone.used_up.download',
  },
  forbidden: {
    title: 'gone.forbidden.titleFrom',
    download: 'gone.forbidden.download',
    upload: 'gone.forbidden.download',
  },
} as const;

function findEndedTexts({ reason, link }: Pick<GonePageProps, 'reason' | 'link'>) {
  return link && reason in endedTexts ? { link, ended: endedTexts[reason as keyof typeof endedTexts] } : undefined;
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
  const { reason, link, asking, cutOff } = props;
  const step = steps[reason];
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
              : translator.t(texts[reason].text, cutOff && { arrived: cutOff.arrived.length, whole: cutOff.whole })}
          </p>
          {cutOff && <CutOffAddress {...cutOff} />}
          {step && (
            <p>
              <ButtonLink look="main" href={step.href}>
                {translator.t(step.text)}
              </ButtonLink>
            </p>
          )}
          {link && (
            <Fields
              fields={[...fromField(translator, link.sender), [translator.t('sent.at'), <Moment at={link.sentAt} />]]}
            />
          )}
        </>
      }
    >
      {asking && <AskForm {...asking} />}
      {wantsLink.has(reason) && <WholeLinkForm />}
    </Card>
  );
}
