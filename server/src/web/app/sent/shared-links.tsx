import type { JSX } from 'preact';
import type { ShownSharedLink } from '../../../domain/drops/shared-links.ts';
import type { SharedLinkKind } from '../../../domain/links/shared-link-rule.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field } from '../../shared/components/field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { ReceiptLinks } from '../../shared/components/receipt-links.tsx';
import { CopyField, CopyLinkButton } from '../components/copy-field.tsx';
import { QrCode } from '../components/qr-code.tsx';
import { SectionHead } from '../components/section-head.tsx';
import { Timeline } from './timeline.tsx';

export interface SharedLinksProps {
  readonly links: readonly ShownSharedLink[];
  /** The kinds of which one can be made now. */
  readonly choices: readonly SharedLinkKind[];
  /** Those that the person asked for, by their positions. */
  readonly shown?: ReadonlyMap<number, string> | undefined;
  readonly path: string;
  readonly csrf: string;
  readonly now: Date;
  readonly canChange: boolean;
  /** Whether there are files, whose downloads can be counted. */
  readonly hasFiles: boolean;
}

const titles = { named: 'sharedLink.named', anybody: 'sharedLink.anybody' } as const;
const notes = { named: 'sharedLink.namedNote', anybody: 'sharedLink.anybodyNote' } as const;
const makes = { named: 'sharedLink.makeNamed', anybody: 'sharedLink.makeAnybody' } as const;
const states = {
  expired: 'sharedLink.state.expired',
  revoked: 'sharedLink.state.revoked',
  used_up: 'sharedLink.state.used_up',
  forbidden: 'sharedLink.state.forbidden',
} as const;

/** The links of a delivery that its sender passes on: what is known of each, and making another one. */
export function SharedLinks(props: SharedLinksProps): JSX.Element | null {
  const translator = useTranslator();
  const { links, choices, canChange } = props;
  if (links.length === 0 && (choices.length === 0 || !canChange)) return null;
  return (
    <section id="shared-links">
      <SectionHead title={translator.t('sharedLink.title')} />
      {links.length > 0 && (
        <ul class="receivers">
          {links.toReversed().map((link) => (
            <li key={link.position}>
              <OneLink {...props} link={link} />
            </li>
          ))}
        </ul>
      )}
      {canChange && choices.map((kind) => <MakeLink key={kind} {...props} kind={kind} />)}
    </section>
  );
}

function OneLink(props: SharedLinksProps & { readonly link: ShownSharedLink }): JSX.Element {
  const { link, path, csrf, now, canChange } = props;
  const translator = useTranslator();
  const { t } = translator;
  const isLive = link.state === 'live';
  return (
    <>
      <p>
        <strong>{t(titles[link.kind])}</strong>
        {link.state !== 'live' && <span class="quiet"> · {t(states[link.state])}</span>}
      </p>
      <Timeline
        now={now}
        at={{
          linkCreated: link.createdAt,
          ...(link.openedAt ? { opened: link.openedAt } : {}),
          ...(link.lastDownloadAt ? { downloaded: link.lastDownloadAt } : {}),
        }}
      />
      <p class="small">
        {link.visits > 0 && <>{t('sharedLink.opened', { count: link.visits })} · </>}
        {link.downloads > 0 && <>{t('sharedLink.downloaded', { count: link.downloads })} · </>}
        {link.maxDownloads !== null && (
          <>
            {t('sharedLink.left', { count: Math.max(0, link.maxDownloads - link.downloads), of: link.maxDownloads })}
            {' · '}
          </>
        )}
        {t('common.until')} <BriefMoment at={link.expiresAt} now={now} show="day-time" />
      </p>
      <p class="quiet small">{t(notes[link.kind])}</p>
      <ShownLink {...props} />
      <ReceiptLinks path={`${path}/receivers/${link.position}/receipt`} of={t(titles[link.kind])} />
      {isLive && canChange && (
        <form method="post" action={`${path}/link`} class="actions">
          <CsrfField csrf={csrf} />
          <CopyLinkButton look="quiet" action={`${path}/link`} position={link.position} />
          <Button look="plain" icon="link" name="receiver" value={link.position}>
            {t('delivery.linkCode')}
          </Button>
          <Button look="plain" icon="stop" formAction={`${path}/revoke`} name="receiver" value={link.position}>
            {t('sharedLink.revoke')}
          </Button>
        </form>
      )}
    </>
  );
}

function ShownLink({ link, shown }: SharedLinksProps & { readonly link: ShownSharedLink }): JSX.Element | null {
  const translator = useTranslator();
  const text = shown?.get(link.position);
  if (text === undefined) return null;
  const label = translator.t(titles[link.kind]);
  return (
    <div class="receiver-link">
      <p class="receiver-link-title">
        <Icon name="check" small /> {translator.t('sharedLink.ready')}
      </p>
      <div class="receiver-link-text">
        <CopyField label={label} value={text} />
        <p class="quiet small">{translator.t('sharedLink.readyText')}</p>
      </div>
      <div class="receiver-link-code">
        <QrCode text={text} label={label} />
        <p class="quiet small">{translator.t('delivery.linkCodeNote')}</p>
      </div>
    </div>
  );
}

function MakeLink(props: SharedLinksProps & { readonly kind: SharedLinkKind }): JSX.Element {
  const { kind, path, csrf, hasFiles } = props;
  const translator = useTranslator();
  return (
    <details class="more small">
      <summary>{translator.t(makes[kind])}</summary>
      <form method="post" action={`${path}/shared-link`} class="stack">
        <CsrfField csrf={csrf} />
        <input type="hidden" name="kind" value={kind} />
        <p class="quiet small">{translator.t(notes[kind])}</p>
        {kind === 'anybody' && hasFiles && (
          <Field
            label={translator.t('sharedLink.max')}
            hint={translator.t('sharedLink.maxNote')}
            id="max-downloads"
            name="max_downloads"
            type="number"
            inputMode="numeric"
            min="1"
            max="1000000"
          />
        )}
        <Button look="quiet" icon="link">
          {translator.t(makes[kind])}
        </Button>
      </form>
    </details>
  );
}
