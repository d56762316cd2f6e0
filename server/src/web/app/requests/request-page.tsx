import type { JSX } from 'preact';
import type { SentReceiver } from '../../../domain/drops/sent-drop-store.ts';
import type { Arrival } from '../../../domain/requests/request-store.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { namePerson, PersonLine } from '../components/person.tsx';
import { isUnreached } from '../components/progress.ts';
import { SectionHead } from '../components/section-head.tsx';
import { canResend, ReceiverActions, ReceiverNotes, type SentItemReceiver } from '../sent/drop-receivers.tsx';
import { SentItemPage, type SentItemProps } from '../sent/sent-item.tsx';
import { nameRequest } from './request-list-page.tsx';
import { RequestChip } from './request-state.tsx';

export type RequestContact = SentItemReceiver & Pick<SentReceiver, 'sendings' | 'filesReceived' | 'lastReceivedAt'>;

export interface RequestPageProps extends SentItemProps<RequestContact> {
  readonly arrivals: readonly Arrival[];
}

export function requestTitle(translator: ViewTranslator, { item }: Pick<RequestPageProps, 'item'>): string {
  return nameRequest(translator, item);
}

export function RequestPage(props: RequestPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, item, receivers, now } = props;
  const path = `${base}requests/${item.id}`;
  const canChange = item.state === 'live' && props.canChange;
  const waiting = receivers.filter(({ completedAt }) => completedAt === null).length;
  return (
    <SentItemPage
      {...props}
      screen="requests"
      title={<bdi>{requestTitle(translator, props)}</bdi>}
      chip={<RequestChip request={{ ...item, receivers: receivers.length, waiting }} now={now} />}
      fields={[
        [translator.t('requests.howOften'), translator.t(item.reusable ? 'requests.anyNumber' : 'requests.once')],
      ]}
      fileCount={0}
      actions={
        props.canShowLinks && (
          <ButtonLink icon="link" href={`${path}?do=link#do`}>
            {translator.t('sentList.links')}
          </ButtonLink>
        )
      }
      summary={translator.t('requests.haveSent', { count: receivers.length - waiting, of: receivers.length })}
      list={
        <ul class="receivers">
          {receivers.map((contact) => {
            const mayResend = canResend(contact, item);
            return (
              <li key={contact.position}>
                <PersonLine person={contact}>
                  <ContactState contact={contact} />
                  {canChange && (
                    <ReceiverActions
                      receiver={contact}
                      path={path}
                      canResend={mayResend}
                      canShowLinks={props.canShowLinks}
                      canCorrect={false}
                      main={mayResend ? 'resend' : !item.notify && props.canShowLinks ? 'copy' : undefined}
                    />
                  )}
                </PersonLine>
                <ContactTimes contact={contact} now={now} />
                <ReceiverNotes receiver={contact} path={path} canChange={canChange} />
              </li>
            );
          })}
        </ul>
      }
    >
      <Arrivals {...props} />
    </SentItemPage>
  );
}

function Arrivals({ base, item, arrivals, now }: RequestPageProps): JSX.Element {
  const translator = useTranslator();
  const totalBytes = arrivals.reduce((sum, arrival) => sum + arrival.totalBytes, 0);
  return (
    <section>
      <SectionHead title={translator.t('requests.whatArrived')}>
        {arrivals.length > 0 && translator.formatSize(totalBytes)}
      </SectionHead>
      {arrivals.length === 0 ? (
        <p class="quiet">
          {translator.t(item.state === 'live' ? 'requests.nothingYetText' : 'requests.nothingArrived')}
        </p>
      ) : (
        <ul class="arrivals">
          {arrivals.map((arrival) => (
            <li key={arrival.entryId}>
              <Icon name="inbox" />
              <div>
                <a href={`${base}inbox/${arrival.entryId}`}>
                  {translator.t('sent.count', { count: arrival.fileCount })},{' '}
                  {translator.formatSize(arrival.totalBytes)}
                </a>
                <p class="small quiet">
                  <bdi>{namePerson(arrival.sender)}</bdi> ·{' '}
                  <BriefMoment at={arrival.receivedAt} now={now} show="day-time" />
                  {arrival.isUnread && ` · ${translator.t('requests.unread')}`}
                </p>
              </div>
              <ButtonLink look="plain" icon="download" href={`${base}inbox/${arrival.entryId}/all.zip`} download>
                {translator.t('inbox.downloadAll')}
              </ButtonLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function ContactState({ contact }: { contact: RequestContact }): JSX.Element {
  const translator = useTranslator();
  const { filesReceived, revokedAt, openedAt } = contact;
  const [tone, icon, text] =
    filesReceived > 0
      ? (['good', 'check', translator.t('requests.filesArrived', { count: filesReceived })] as const)
      : revokedAt
        ? (['quiet', 'stop', translator.t('status.revoked')] as const)
        : isUnreached(contact)
          ? (['bad', 'alert', translator.t('status.undeliverable')] as const)
          : openedAt
            ? (['calm', 'eye', translator.t('status.opened')] as const)
            : (['quiet', 'mail', translator.t('requests.nothingYet')] as const);
  return (
    <span class={`status tone-${tone}`}>
      <Icon name={icon} small />
      {text}
    </span>
  );
}

function ContactTimes({ contact, now }: { contact: RequestContact; now: Date }): JSX.Element | null {
  const translator = useTranslator();
  const { openedAt, lastReceivedAt, sendings } = contact;
  const at = lastReceivedAt ?? openedAt;
  if (!at) return null;
  return (
    <p class="receiver-note quiet small">
      <span>
        {lastReceivedAt
          ? translator.t(sendings > 1 ? 'requests.lastSent' : 'requests.sentAt', { count: sendings })
          : translator.t('requests.openedAt')}{' '}
        <BriefMoment at={at} now={now} show="day-time" />
      </span>
    </p>
  );
}
