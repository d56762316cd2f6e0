import type { JSX } from 'preact';
import { Banner } from '../../components/banner.tsx';
import { ButtonLink } from '../../components/button.tsx';
import { Fields } from '../../components/card.tsx';
import { Crumbs } from '../../components/crumbs.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListForm } from '../../components/list-form.tsx';
import { Message } from '../../components/message.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { namePerson } from '../../components/person.tsx';
import { countProgress, summarizeProgress } from '../../components/progress.ts';
import { SectionHead } from '../../components/section-head.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { isolate } from '../../plain.ts';
import { type DeliveryFile, DeliveryFiles } from './delivery-files.tsx';
import { DeliveryHistory, type HistoryEntry } from './delivery-history.tsx';
import { type DeliveryReceiver, DeliveryReceivers } from './delivery-receivers.tsx';
import { DeliveryTask, type Task } from './delivery-task.tsx';
import type { ListProps } from './list-props.ts';

/** A drop as its sender sees it. */
export interface Delivery {
  readonly id: string;
  readonly reference: string;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly notify: boolean;
  /** The code that receivers have to enter. */
  readonly secondFactor: 'off' | 'mail' | 'sms';
  /** True if the records of what receivers did were purged. */
  readonly isPurged: boolean;
}

export interface DeliveryPageProps extends ListProps {
  readonly delivery: Delivery;
  readonly receivers: readonly DeliveryReceiver[];
  readonly files: readonly DeliveryFile[];
  readonly history: readonly HistoryEntry[];
  /** The form that is open (`?do=`). */
  readonly task?: Task | undefined;
  readonly canShowLinks: boolean;
  /** Where the receipt can be downloaded, if there is one. */
  readonly receiptHref?: string | undefined;
}

export function deliveryTitle(
  translator: ViewTranslator,
  { receivers, files }: Pick<DeliveryPageProps, 'receivers' | 'files'>,
): string {
  const [first] = receivers;
  const name = first ? isolate(namePerson(first)) : '';
  const subject =
    files.length === 0 ? translator.t('delivery.messageSubject') : translator.t('sent.count', { count: files.length });
  const others = receivers.length - 1;
  if (others < 1) return translator.t('delivery.titleOne', { subject, name });
  return translator.t('delivery.title', { subject, name, count: others });
}

export function DeliveryPage(props: DeliveryPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, delivery, receivers, files, task, canChange } = props;
  const list = `${base}sent`;
  const path = `${list}/${delivery.id}`;
  const isLive = delivery.state === 'live';
  return (
    <>
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
            </>
          )}
          {props.receiptHref !== undefined && (
            <ButtonLink icon="receipt" href={props.receiptHref}>
              {translator.t('delivery.receipt')}
            </ButtonLink>
          )}
          {isLive && canChange && (
            <ButtonLink look="danger" icon="stop" href={`${path}?do=revoke#do`}>
              {translator.t('sentList.revoke')}
            </ButtonLink>
          )}
        </div>
      </header>
      {task && <DeliveryTask {...props} path={path} task={task} />}
      <div class="with-aside">
        <article class="ticket" aria-labelledby="delivery-title">
          <div class="ticket-about">
            <Subject {...props} />
          </div>
          <div class="ticket-do">
            <section>
              <SectionHead title={translator.t('delivery.receivers')}>
                {!delivery.isPurged &&
                  translator.t('delivery.haveAll', {
                    count: receivers.filter(({ completedAt }) => completedAt !== null).length,
                    of: receivers.length,
                  })}
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
                />
              </ListForm>
            </section>
            {files.length > 0 && <DeliveryFiles files={files} receivers={receivers.length} />}
          </div>
        </article>
        <div class="aside">
          {delivery.message !== '' && (
            <Panel title={translator.t('common.message')}>
              <Message>{delivery.message}</Message>
            </Panel>
          )}
          <DeliveryHistory entries={props.history} now={props.now} exportHref={`${path}/history.csv`} />
        </div>
      </div>
    </>
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
    <span class={`status ${look}`}>
      <Icon name={icon} small />
      {translator.t(text, { count, of })}
    </span>
  );
}
