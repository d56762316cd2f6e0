import type { JSX } from 'preact';
import { Banner } from '../../components/banner.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Fields } from '../../components/card.tsx';
import { Crumbs } from '../../components/crumbs.tsx';
import { CsrfField } from '../../components/csrf-field.tsx';
import { fillText } from '../../components/fill-text.ts';
import { Icon } from '../../components/icon.tsx';
import { ListForm } from '../../components/list-form.tsx';
import { Message } from '../../components/message.tsx';
import { BriefMoment, Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { namePerson } from '../../components/person.tsx';
import { countProgress, isCounted, summarizeProgress } from '../../components/progress.ts';
import { RangePager, takePage } from '../../components/range-pager.tsx';
import { SectionHead } from '../../components/section-head.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { isolate } from '../../plain.ts';
import { type DeliveryFile, DeliveryFiles } from './delivery-files.tsx';
import { DeliveryHistory, type HistoryEntry } from './delivery-history.tsx';
import { type DeliveryReceiver, DeliveryReceivers } from './delivery-receivers.tsx';
import { DeliveryTask, type Task } from './delivery-task.tsx';
import { type ListProps, toHref } from './list-props.ts';

/** A drop as its sender sees it. */
export interface Delivery {
  readonly id: string;
  readonly reference: string;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** Until when its revocation can be undone; null if it cannot. */
  readonly restorableUntil: Date | null;
  /** When receivers are reminded; null if they were, or are not. */
  readonly remindAt: Date | null;
  readonly notify: boolean;
  /** The code that receivers have to enter. */
  readonly secondFactor: 'off' | 'mail' | 'sms';
  /** True if the records of what receivers did were purged. */
  readonly isPurged: boolean;
}

export interface DeliveryPageProps extends ListProps {
  readonly delivery: Delivery;
  /** All of them; a page shows some. */
  readonly receivers: readonly DeliveryReceiver[];
  /** All of them; those on the page with who has them. */
  readonly files: readonly DeliveryFile[];
  /** Whether it was sent a moment ago, by the person who sees this (`?sent=1`). */
  readonly isJustSent?: boolean | undefined;
  /** The receiver, by position, and the file, by id, after which the page begins. */
  readonly after?: { readonly receiver?: number | undefined; readonly file?: string | undefined } | undefined;
  readonly history: readonly HistoryEntry[];
  /** The form that is open (`?do=`). */
  readonly task?: Task | undefined;
  readonly canShowLinks: boolean;
}

export function deliveryTitle(
  translator: ViewTranslator,
  { receivers, files }: Pick<DeliveryPageProps, 'receivers' | 'files'>,
): string {
  const counted = receivers.filter(isCounted);
  const first = counted[0] ?? receivers[0];
  const name = first ? isolate(namePerson(first)) : '';
  const subject =
    files.length === 0 ? translator.t('delivery.messageSubject') : translator.t('sent.count', { count: files.length });
  const others = counted.length - 1;
  if (others < 1) return translator.t('delivery.titleOne', { subject, name });
  return translator.t('delivery.title', { subject, name, count: others });
}

export function DeliveryPage(props: DeliveryPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, delivery, receivers, files, task, canChange } = props;
  const list = `${base}sent`;
  const path = `${list}/${delivery.id}`;
  const isLive = delivery.state === 'live';
  const progress = countProgress(delivery, receivers);
  return (
    <>
      {props.isJustSent && isLive && <JustSent {...props} path={path} people={progress.receivers} />}
      <header class="page-head">
        <Crumbs label={translator.t('frame.sent')} href={list}>
          <span class="reference">{delivery.reference}</span>
        </Crumbs>
        <div class="actions actions-grid">
          {isLive && canChange && (
            <>
              <ButtonLink icon="plus" href={`${path}?do=add#do`}>
                {translator.t('delivery.add')}
              </ButtonLink>
              <ButtonLink icon="calendar" href={`${path}?do=extend#do`}>
                {translator.t('delivery.extend')}
              </ButtonLink>
              <ButtonLink look="danger" icon="stop" href={`${path}?do=revoke#do`}>
                {translator.t('sentList.revoke')}
              </ButtonLink>
            </>
          )}
        </div>
      </header>
      {delivery.restorableUntil && <Restorable {...props} path={path} until={delivery.restorableUntil} />}
      {task && <DeliveryTask {...props} path={path} task={task} />}
      <div class="with-aside">
        <article class="ticket" aria-labelledby="delivery-title">
          <div class="ticket-about">
            <Subject {...props} />
          </div>
          <div class="ticket-do">
            <section id="delivery-receivers" data-live="drop.">
              <SectionHead title={translator.t('delivery.receivers')}>
                {!delivery.isPurged &&
                  translator.t('delivery.haveAll', { count: progress.downloaded, of: progress.receivers })}
              </SectionHead>
              {delivery.isPurged && <Banner tone="quiet">{translator.t('delivery.purged')}</Banner>}
              <ListForm csrf={props.csrf}>
                <DeliveryReceivers
                  delivery={delivery}
                  receivers={receivers}
                  path={path}
                  now={props.now}
                  canChange={isLive && canChange}
                  canShowLinks={props.canShowLinks}
                  after={props.after?.receiver}
                />
              </ListForm>
            </section>
            {files.length > 0 && (
              <DeliveryFiles
                files={files}
                receivers={progress.receivers}
                pager={<FilesPager files={files} path={path} after={props.after?.file} />}
              />
            )}
          </div>
        </article>
        <div class="aside">
          {props.isJustSent && isLive && <NextSteps delivery={delivery} now={props.now} />}
          {delivery.message !== '' && (
            <Panel title={translator.t('common.message')}>
              <Message>{delivery.message}</Message>
            </Panel>
          )}
          <div id="delivery-history" data-live="drop.">
            <DeliveryHistory entries={props.history} now={props.now} exportHref={`${path}/history.csv`} />
          </div>
        </div>
      </div>
    </>
  );
}

/** Success that cannot be missed; the page below goes on to follow the delivery. */
function JustSent(props: DeliveryPageProps & { path: string; people: number }): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, delivery, path, people } = props;
  const canShow = !delivery.notify && props.canShowLinks;
  return (
    <div class="sent-band" role="status">
      <span class="sent-band-mark">
        <Icon name="check" />
      </span>
      <div class="sent-band-text">
        <p class="sent-band-title">
          {delivery.notify ? translator.t('delivery.sentTo', { count: people }) : translator.t('delivery.linksReady')}
        </p>
        <p>{translator.t(delivery.notify ? 'delivery.sentText' : 'delivery.linksText')}</p>
      </div>
      <div class="actions">
        {canShow && (
          <form method="post" action={`${path}/link`}>
            <CsrfField csrf={csrf} />
            <Button icon="link">{translator.t('delivery.showLinks')}</Button>
          </form>
        )}
        <ButtonLink icon="plus" href={base}>
          {translator.t('delivery.sendMore')}
        </ButtonLink>
      </div>
    </div>
  );
}

/** What a delivery goes through by itself, for somebody who has sent it for the first time. */
function NextSteps({ delivery, now }: Pick<DeliveryPageProps, 'delivery' | 'now'>): JSX.Element {
  const translator = useTranslator();
  const steps = [
    ...(delivery.remindAt ? ([[delivery.remindAt, 'delivery.next.remind']] as const) : []),
    [delivery.expiresAt, 'delivery.next.delete'] as const,
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
function Restorable(props: DeliveryPageProps & { path: string; until: Date }): JSX.Element {
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

/** As many files as a page shows. */
export const shownFiles = 50;

function FilesPager(props: { files: readonly DeliveryFile[]; path: string; after: string | undefined }): JSX.Element {
  const { items, ...range } = takePage(props.files, shownFiles, ({ id }) => id === props.after);
  return (
    <RangePager
      {...range}
      shown={items.length}
      hrefAfter={(file) => toHref(props.path, { files: file?.id })}
      anchor="delivery-files"
    />
  );
}

function Subject(props: DeliveryPageProps): JSX.Element {
  const translator = useTranslator();
  const { delivery, files } = props;
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const codes = { off: 'delivery.codeOff', mail: 'delivery.codeMail', sms: 'delivery.codeSms' } as const;
  return (
    <div class="ticket-subject">
      <div class="ticket-head">
        <span class="ticket-number">
          <span class="unseen">{translator.t('common.reference')} </span>
          <bdi>{delivery.reference}</bdi>
        </span>
        <DeliveryChip {...props} />
      </div>
      <h1 id="delivery-title" tabIndex={-1}>
        {deliveryTitle(translator, props)}
      </h1>
      <Fields
        fields={[
          [translator.t('status.sent'), <Moment at={delivery.createdAt} />],
          delivery.revokedAt
            ? [translator.t('delivery.revokedAt'), <Moment at={delivery.revokedAt} />]
            : [
                translator.t(delivery.state === 'live' ? 'common.until' : 'delivery.endedAt'),
                <Moment at={delivery.expiresAt} show={delivery.state === 'live' ? 'deadline' : 'date'} />,
              ],
          ...(files.length > 0 ? [[translator.t('delivery.size'), translator.formatSize(totalBytes)] as const] : []),
          [translator.t('delivery.code'), translator.t(codes[delivery.secondFactor])],
        ]}
      />
    </div>
  );
}

const chips = {
  calm: ['tone-calm', 'send'],
  good: ['tone-good', 'check'],
  bad: ['tone-bad', 'alert'],
  over: ['tone-quiet', 'clock'],
} as const;

function DeliveryChip({ delivery, receivers }: DeliveryPageProps): JSX.Element {
  const translator = useTranslator();
  const { tone, text, count, of } = summarizeProgress(countProgress(delivery, receivers));
  const [look, icon] = chips[tone];
  return (
    <span class={`status ${look}`} id="delivery-state" data-live="drop.">
      <Icon name={icon} small />
      {translator.t(text, { count, of })}
    </span>
  );
}
