import type { JSX } from 'preact';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment, Moment } from '../../shared/components/moment.tsx';
import { CopyLinkButton } from '../components/copy-field.tsx';
import type { FolderPlace } from '../components/folder-view.tsx';
import { Panel } from '../components/panel.tsx';
import { namePerson } from '../components/person.tsx';
import {
  countProgress,
  isCounted,
  type Progress,
  type ReceiverTimes,
  summarizeProgress,
} from '../components/progress.ts';
import { toHref } from '../shared/list-props.ts';
import { type DropFile, DropFiles } from './drop-files.tsx';
import type { SentItemReceiver } from './drop-receivers.tsx';
import type { ReceiverPlace } from './receiver-groups.ts';
import { DropReceivers } from './receiver-list.tsx';
import { SentItemPage, type SentItemProps } from './sent-item.tsx';
import { SharedLinks, type SharedLinksProps } from './shared-links.tsx';

export interface DropPageProps extends SentItemProps<SentItemReceiver> {
  /** All of them; those on the page with who has them. */
  readonly files: readonly DropFile[];
  /** The links of it that its sender passes on. */
  readonly sharedLinks?: Pick<SharedLinksProps, 'links' | 'choices' | 'shown'> | undefined;
  /** Whether it was sent a moment ago, by the person who sees this (`?sent=1`). */
  readonly isJustSent?: boolean | undefined;
  readonly place?: FolderPlace | undefined;
  readonly among?: ReceiverPlace | undefined;
}

export function dropTitle(
  translator: ViewTranslator,
  { receivers, files }: Pick<DropPageProps, 'receivers' | 'files'>,
): string {
  const counted = receivers.filter(isCounted);
  const first = counted[0] ?? receivers[0];
  const name = first ? isolate(namePerson(first)) : '';
  const subject =
    files.length === 0 ? translator.t('delivery.messageSubject') : translator.t('sent.count', { count: files.length });
  if (!first) return translator.t('sharedLink.subject', { subject });
  const others = counted.length - 1;
  if (others < 1) return translator.t('delivery.titleOne', { subject, name });
  return translator.t('delivery.title', { subject, name, count: others });
}

const codes = { off: 'delivery.codeOff', mail: 'delivery.codeMail', sms: 'delivery.codeSms' } as const;

export function DropPage(props: DropPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, item, receivers, files, canChange } = props;
  const path = `${base}sent/${item.id}`;
  const isLive = item.state === 'live';
  const isNew = props.isJustSent && isLive;
  const progress = countProgress(item, receivers.length > 0 ? receivers : toVisitors(props.sharedLinks?.links));
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return (
    <>
      {isNew && <JustSent {...props} path={path} people={progress.receivers} />}
      <SentItemPage
        {...props}
        screen="sent"
        title={dropTitle(translator, props)}
        chip={<DropChip progress={progress} />}
        fields={[
          ...(files.length > 0 ? [[translator.t('delivery.size'), translator.formatSize(totalBytes)] as const] : []),
          [translator.t('delivery.code'), translator.t(codes[item.secondFactor])],
          ...(item.hasPassphrase
            ? [[translator.t('passphrase.label'), translator.t('delivery.passphrase')] as const]
            : []),
        ]}
        fileCount={files.length}
        actions={
          isLive && (
            <ButtonLink icon="send" href={toHref(base, { again: item.id })}>
              {translator.t('delivery.again')}
            </ButtonLink>
          )
        }
        notice={item.restorableUntil && <Restorable {...props} path={path} until={item.restorableUntil} />}
        summary={
          !item.isPurged &&
          receivers.length > 0 &&
          translator.t('delivery.haveAll', { count: progress.downloaded, of: progress.receivers })
        }
        warning={item.isPurged && <Banner tone="quiet">{translator.t('delivery.purged')}</Banner>}
        list={
          <DropReceivers
            drop={item}
            receivers={receivers}
            path={path}
            now={props.now}
            canChange={isLive && canChange}
            canShowLinks={props.canShowLinks}
            among={props.among}
          />
        }
        aside={isNew && <NextSteps item={item} now={props.now} />}
      >
        {props.sharedLinks && (
          <SharedLinks
            {...props.sharedLinks}
            path={path}
            csrf={props.csrf}
            now={props.now}
            canChange={isLive && canChange}
            hasFiles={files.length > 0}
          />
        )}
        {files.length > 0 && (
          <DropFiles
            files={files}
            counts={progress}
            path={path}
            place={props.place ?? {}}
            ownPath={isLive ? path : undefined}
          />
        )}
      </SentItemPage>
    </>
  );
}

/** Nobody is named: what is known of the links for anybody counts. */
function toVisitors(links: SharedLinksProps['links'] = []): ReceiverTimes[] {
  return links
    .filter(({ kind }) => kind === 'anybody')
    .slice(-1)
    .map(({ openedAt, lastDownloadAt, revokedAt }) => ({
      notifiedAt: null,
      undeliverableAt: null,
      openedAt,
      completedAt: lastDownloadAt,
      revokedAt,
    }));
}

/** Success that cannot be missed; the page below goes on to follow the delivery. */
function JustSent(props: DropPageProps & { path: string; people: number }): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, item, path, people } = props;
  const waiting =
    item.notify || !props.canShowLinks ? [] : props.receivers.filter(({ revokedAt }) => revokedAt === null);
  const [only] = waiting.length === 1 ? waiting : [];
  const shared = props.sharedLinks?.links.find(({ state }) => state === 'live');
  if (shared) return <LinkReady {...props} position={shared.position} />;
  return (
    <div class="sent-band" role="status">
      <span class="sent-band-mark">
        <Icon name="check" />
      </span>
      <div class="sent-band-text">
        <p class="sent-band-title">
          {item.notify
            ? translator.t('delivery.sentTo', { count: people })
            : translator.t(only ? 'delivery.linkReady' : 'delivery.linksReady')}
        </p>
        <p>
          {only
            ? translator.t('delivery.linkText', { name: isolate(namePerson(only)) })
            : translator.t(item.notify ? 'delivery.sentText' : 'delivery.linksText')}
        </p>
      </div>
      <div class="actions">
        {waiting.length > 0 && (
          <form method="post" action={`${path}/link`} class="actions">
            <CsrfField csrf={csrf} />
            {only && <CopyLinkButton look="main" action={`${path}/link`} position={only.position} />}
            <Button look={only ? 'quiet' : 'main'} icon="link">
              {translator.t(only ? 'delivery.linkCode' : 'delivery.showLinks')}
            </Button>
          </form>
        )}
        <ButtonLink icon="plus" href={base}>
          {translator.t('delivery.sendMore')}
        </ButtonLink>
      </div>
    </div>
  );
}

/** The same for a delivery that its sender passes on by one link. */
function LinkReady({ csrf, path, position }: DropPageProps & { path: string; position: number }): JSX.Element {
  const translator = useTranslator();
  return (
    <div class="sent-band" role="status">
      <span class="sent-band-mark">
        <Icon name="check" />
      </span>
      <div class="sent-band-text">
        <p class="sent-band-title">{translator.t('sharedLink.ready')}</p>
        <p>{translator.t('sharedLink.readyText')}</p>
      </div>
      <form method="post" action={`${path}/link`} class="actions">
        <CsrfField csrf={csrf} />
        <CopyLinkButton look="main" action={`${path}/link`} position={position} />
        <Button icon="link" name="receiver" value={position}>
          {translator.t('delivery.linkCode')}
        </Button>
      </form>
    </div>
  );
}

/** The steps that a delivery takes by itself, for somebody who has sent it for the first time. */
function NextSteps({ item, now }: Pick<DropPageProps, 'item' | 'now'>): JSX.Element {
  const translator = useTranslator();
  const steps = [
    ...(item.remindAt ? ([[item.remindAt, 'delivery.next.remind']] as const) : []),
    [item.expiresAt, 'delivery.next.delete'] as const,
  ];
  return (
    <Panel title={translator.t('delivery.next')}>
      <ol class="log">
        {steps.map(([at, text]) => (
          <li key={text}>
            <BriefMoment at={at} now={now} />
            <p>{translator.t(text)}</p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Offers to undo a revocation for as long as that is possible. */
function Restorable(props: DropPageProps & { path: string; until: Date }): JSX.Element {
  const translator = useTranslator();
  return (
    <Banner
      tone="quiet"
      action={
        props.canChange && (
          <form method="post" action={`${props.path}/restore`}>
            <CsrfField csrf={props.csrf} />
            <Button look="plain" icon="undo">
              {translator.t('sentList.restore')}
            </Button>
          </form>
        )
      }
    >
      {fillText(translator, 'delivery.undoUntil', { until: <Moment at={props.until} show="time" /> })}
    </Banner>
  );
}

const chips = {
  calm: ['tone-calm', 'send'],
  good: ['tone-good', 'check'],
  bad: ['tone-bad', 'alert'],
  over: ['tone-quiet', 'clock'],
} as const;

function DropChip({ progress }: { progress: Progress }): JSX.Element {
  const translator = useTranslator();
  const { tone, text, count, of } = summarizeProgress(progress);
  const [look, usualIcon] = chips[tone];
  const icon = tone === 'calm' && !progress.notify ? 'link' : usualIcon;
  return (
    <span class={`status ${look}`}>
      <Icon name={icon} small />
      {translator.t(text, { count, of })}
    </span>
  );
}
