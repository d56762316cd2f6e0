import type { JSX } from 'preact';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Fields } from '../../components/card.tsx';
import { Crumbs } from '../../components/crumbs.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListForm } from '../../components/list-form.tsx';
import { Message } from '../../components/message.tsx';
import { BriefMoment, Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { namePerson, type Person, PersonLine } from '../../components/person.tsx';
import { isUnreached, type ReceiverTimes } from '../../components/progress.ts';
import { ReceiptLinks } from '../../components/receipt-links.tsx';
import { type MenuAction, RowMenu } from '../../components/row-menu.tsx';
import { SectionHead } from '../../components/section-head.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { DeliveryHistory, type HistoryEntry } from './delivery-history.tsx';
import { Bounce, Delay, ShownLink } from './delivery-receivers.tsx';
import type { Task } from './delivery-task.tsx';
import type { ListProps } from './list-props.ts';
import { RequestChip } from './request-state.tsx';
import { RequestTask } from './request-task.tsx';
import { nameRequest } from './requests-page.tsx';

/** A request for files as the account that asked sees it. */
export interface FileRequest {
  readonly id: string;
  readonly reference: string;
  readonly state: 'live' | 'expired' | 'revoked';
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly reusable: boolean;
  readonly notify: boolean;
  readonly secondFactor: 'off' | 'mail' | 'sms';
}

export interface RequestContact extends Person, ReceiverTimes {
  readonly position: number;
  readonly undeliverableReason: string | null;
  readonly sendings: number;
  readonly filesReceived: number;
  readonly lastReceivedAt: Date | null;
  /** Their personal link, on the page that shows it because it was asked for. */
  readonly link?: string | undefined;
}

/** Files that a contact sent, as an entry of the inbox. */
export interface Arrival {
  readonly entryId: string;
  readonly sender: Person;
  readonly receivedAt: Date;
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly isUnread: boolean;
}

export interface RequestPageProps extends ListProps {
  readonly request: FileRequest;
  readonly contacts: readonly RequestContact[];
  readonly arrivals: readonly Arrival[];
  readonly history: readonly HistoryEntry[];
  readonly task?: Task | undefined;
  readonly canShowLinks: boolean;
}

export function requestTitle(translator: ViewTranslator, { request }: Pick<RequestPageProps, 'request'>): string {
  return nameRequest(translator, request);
}

export function RequestPage(props: RequestPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, request, contacts, arrivals, task, canChange, now } = props;
  const list = `${base}requests`;
  const path = `${list}/${request.id}`;
  const isLive = request.state === 'live';
  const totalBytes = arrivals.reduce((sum, arrival) => sum + arrival.totalBytes, 0);
  const progress = {
    ...request,
    receivers: contacts.length,
    waiting: contacts.filter(({ completedAt }) => completedAt === null).length,
  };
  return (
    <>
      <header class="page-head">
        <Crumbs label={translator.t('frame.requests')} href={list}>
          <span class="reference">{request.reference}</span>
        </Crumbs>
        {isLive && canChange && (
          <div class="actions actions-grid">
            <ButtonLink icon="plus" href={`${path}?do=add#do`}>
              {translator.t('requests.askOthersShort')}
            </ButtonLink>
            <ButtonLink icon="calendar" href={`${path}?do=extend#do`}>
              {translator.t('delivery.extend')}
            </ButtonLink>
            {props.canShowLinks && (
              <ButtonLink icon="link" href={`${path}?do=link#do`}>
                {translator.t('sentList.links')}
              </ButtonLink>
            )}
            <ButtonLink look="danger" icon="stop" href={`${path}?do=revoke#do`}>
              {translator.t('requests.close')}
            </ButtonLink>
          </div>
        )}
      </header>
      {task && <RequestTask {...props} path={path} task={task} />}
      <div class="with-aside" id="request" data-live="request.">
        <article class="ticket" aria-labelledby="request-title">
          <div class="ticket-about">
            <div class="ticket-subject">
              <div class="ticket-head">
                <span class="ticket-number">
                  <span class="unseen">{translator.t('common.reference')} </span>
                  <bdi>{request.reference}</bdi>
                </span>
                <RequestChip request={progress} now={now} />
              </div>
              <h1 id="request-title" tabIndex={-1}>
                <bdi>{requestTitle(translator, props)}</bdi>
              </h1>
              <Fields
                fields={[
                  [translator.t('requests.asked'), <Moment at={request.createdAt} />],
                  request.revokedAt
                    ? [translator.t('requests.closedAt'), <Moment at={request.revokedAt} />]
                    : [
                        translator.t(isLive ? 'requests.until' : 'delivery.endedAt'),
                        <Moment at={request.expiresAt} show={isLive ? 'deadline' : 'date'} />,
                      ],
                  [
                    translator.t('requests.howOften'),
                    translator.t(request.reusable ? 'requests.anyNumber' : 'requests.once'),
                  ],
                ]}
              />
            </div>
          </div>
          <div class="ticket-do">
            <section>
              <SectionHead title={translator.t('requests.whoWasAsked')}>
                {translator.t('requests.haveSent', { count: contacts.length - progress.waiting, of: contacts.length })}
              </SectionHead>
              <ListForm csrf={props.csrf}>
                <ul class="receivers">
                  {contacts.map((contact) => (
                    <li key={contact.position}>
                      <PersonLine person={contact}>
                        <ContactState contact={contact} />
                        {isLive && canChange && (
                          <ContactActions
                            contact={contact}
                            path={path}
                            canShowLinks={props.canShowLinks}
                            notify={request.notify}
                          />
                        )}
                      </PersonLine>
                      <ContactTimes contact={contact} now={now} />
                      <ShownLink receiver={contact} />
                      {isUnreached(contact) && contact.revokedAt === null && (
                        <Bounce receiver={contact} path={path} canChange={isLive && canChange} />
                      )}
                      <Delay receiver={contact} />
                      <ReceiptLinks path={`${path}/receivers/${contact.position}/receipt`} of={namePerson(contact)} />
                    </li>
                  ))}
                </ul>
              </ListForm>
            </section>
            <section>
              <SectionHead title={translator.t('requests.whatArrived')}>
                {arrivals.length > 0 && translator.formatSize(totalBytes)}
              </SectionHead>
              {arrivals.length === 0 ? (
                <p class="quiet">{translator.t(isLive ? 'requests.nothingYetText' : 'requests.nothingArrived')}</p>
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
                      <ButtonLink
                        look="plain"
                        icon="download"
                        href={`${base}inbox/${arrival.entryId}/all.zip`}
                        download
                      >
                        {translator.t('inbox.downloadAll')}
                      </ButtonLink>
                    </li>
                  ))}
                </ul>
              )}
            </section>
          </div>
        </article>
        <div class="aside">
          {request.message !== '' && (
            <Panel title={translator.t('requests.youWrote')}>
              <Message>{request.message}</Message>
            </Panel>
          )}
          <DeliveryHistory entries={props.history} now={now} exportHref={`${path}/history.csv`} />
        </div>
      </div>
    </>
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

function ContactActions(props: {
  contact: RequestContact;
  path: string;
  canShowLinks: boolean;
  notify: boolean;
}): JSX.Element | null {
  const translator = useTranslator();
  const { contact, path, notify } = props;
  if (contact.revokedAt) return null;
  const name = namePerson(contact);
  const resend = {
    label: translator.t('delivery.resend'),
    icon: 'mail',
    action: `${path}/receivers/${contact.position}/resend`,
  } as const;
  const canResend = notify && contact.completedAt === null && !isUnreached(contact);
  const menu: MenuAction[] = [
    ...(canResend ? [resend] : []),
    ...(props.canShowLinks
      ? [
          {
            label: translator.t('delivery.showLink'),
            icon: 'link',
            href: `${path}?do=link&receiver=${contact.position}#do`,
          } as const,
        ]
      : []),
    {
      label: translator.t('delivery.revokeOne'),
      icon: 'stop',
      href: `${path}?do=revoke&receiver=${contact.position}#do`,
      danger: true,
    },
  ];
  return (
    <>
      {canResend && (
        <Button look="plain" icon="mail" class="on-desktop" formAction={resend.action}>
          {resend.label}
          <span class="unseen"> {name}</span>
        </Button>
      )}
      <RowMenu
        id={`receiver-${contact.position}`}
        label={translator.t('common.labelled', { label: translator.t('list.more'), value: name })}
        actions={menu}
      />
    </>
  );
}
