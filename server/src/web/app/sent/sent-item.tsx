import type { ComponentChildren, JSX } from 'preact';
import type { SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import type { SecondFactor } from '../../../domain/policy.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';
import { Fields } from '../../shared/components/card.tsx';
import { Message } from '../../shared/components/message.tsx';
import { Moment } from '../../shared/components/moment.tsx';
import { ScriptData } from '../../shared/components/script-data.tsx';
import { Subtitle } from '../../shared/components/subtitle.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { ListForm } from '../components/list-form.tsx';
import { Panel } from '../components/panel.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { SectionHead } from '../components/section-head.tsx';
import type { ListProps } from '../shared/list-props.ts';
import type { SentItemReceiver } from './drop-receivers.tsx';
import { type HistoryEntry, SentHistory } from './sent-history.tsx';
import type { SentScreen } from './sent-notice.tsx';
import { SentTask, type Task } from './sent-task.tsx';

/** A delivery or a request as the account that sent it sees it. */
export interface SentItem
  extends Pick<
    SentDrop,
    | 'id'
    | 'state'
    | 'title'
    | 'wanted'
    | 'hasPassphrase'
    | 'message'
    | 'createdAt'
    | 'expiresAt'
    | 'revokedAt'
    | 'restorableUntil'
    | 'remindAt'
    | 'notify'
    | 'reusable'
    | 'isPurged'
  > {
  readonly reference: string;
  /** The code that receivers have to enter. */
  readonly secondFactor: SecondFactor;
}

export interface SentItemProps<Receiver extends SentItemReceiver> extends ListProps {
  readonly item: SentItem;
  readonly receivers: readonly Receiver[];
  readonly history: readonly HistoryEntry[];
  /** The form that is open (`?do=`). */
  readonly task?: Task | undefined;
  readonly canShowLinks: boolean;
  /** The texts of the script of the form that adds people. */
  readonly addTextsJson: string;
}

const texts = {
  sent: {
    list: 'frame.sent',
    add: 'delivery.add',
    revoke: 'sentList.revoke',
    created: 'status.sent',
    until: 'common.until',
    revokedAt: 'delivery.revokedAt',
    receivers: 'delivery.receivers',
    message: 'common.message',
  },
  requests: {
    list: 'frame.requests',
    add: 'requests.askOthersShort',
    revoke: 'requests.close',
    created: 'requests.asked',
    until: 'requests.until',
    revokedAt: 'requests.closedAt',
    receivers: 'requests.whoWasAsked',
    message: 'requests.youWrote',
  },
} as const;
const subjects = { sent: 'drop.', requests: 'request.' } as const;

/** The page of one delivery or one request: what it is, whom it reached, and what happened to it. */
export function SentItemPage(
  props: SentItemProps<SentItemReceiver> & {
    screen: SentScreen;
    title: ComponentChildren;
    /** The state of the drop or request in one word. */
    chip: ComponentChildren;
    /** Further facts, below its deadline. */
    fields: readonly (readonly [label: string, value: ComponentChildren])[];
    /** How many files a revocation deletes. */
    fileCount: number;
    /** Further actions, before the last one. */
    actions?: ComponentChildren;
    /** Said above everything but the head. */
    notice?: ComponentChildren;
    /** How many receivers have done their part. */
    summary: ComponentChildren;
    /** Said above the receivers. */
    warning?: ComponentChildren;
    list: ComponentChildren;
    /** Further sections below the receivers. */
    children: ComponentChildren;
    aside?: ComponentChildren;
  },
): JSX.Element {
  const translator = useTranslator();
  const { screen, base, item, task } = props;
  const path = `${base}${screen}/${item.id}`;
  const isLive = item.state === 'live';
  const text = texts[screen];
  return (
    <>
      <header class="page-head">
        <Crumbs label={translator.t(text.list)} href={`${base}${screen}`}>
          <span class="reference">{item.reference}</span>
        </Crumbs>
        {isLive && props.canChange && (
          <div class="actions actions-grid">
            <ButtonLink icon="plus" href={`${path}?do=add#do`}>
              {translator.t(text.add)}
            </ButtonLink>
            <ButtonLink icon="calendar" href={`${path}?do=extend#do`}>
              {translator.t('delivery.extend')}
            </ButtonLink>
            {props.actions}
            <RowMenu
              id="item-menu"
              label={translator.t('list.more')}
              actions={[{ label: translator.t(text.revoke), icon: 'stop', href: `${path}?do=revoke#do`, danger: true }]}
            />
          </div>
        )}
      </header>
      {props.notice}
      {task && <SentTask {...props} path={path} task={task} />}
      {task?.what === 'add' && <ScriptData id="add-texts" json={props.addTextsJson} />}
      <div class="with-aside" id="item" data-live={subjects[screen]}>
        <article class="ticket" aria-labelledby="item-title">
          <div class="ticket-about">
            <div class="ticket-subject">
              <div class="ticket-head">
                <span class="ticket-number">
                  <span class="unseen">{translator.t('common.reference')} </span>
                  <bdi>{item.reference}</bdi>
                </span>
                {props.chip}
              </div>
              <h1 id="item-title" tabIndex={-1}>
                {props.title}
              </h1>
              {item.title !== null && <Subtitle>{item.title}</Subtitle>}
              <Fields
                fields={[
                  [translator.t(text.created), <Moment at={item.createdAt} />],
                  item.revokedAt
                    ? [translator.t(text.revokedAt), <Moment at={item.revokedAt} />]
                    : [
                        translator.t(isLive ? text.until : 'delivery.endedAt'),
                        <Moment at={item.expiresAt} show={isLive ? 'deadline' : 'date'} />,
                      ],
                  ...props.fields,
                ]}
              />
            </div>
          </div>
          <div class="ticket-do">
            <nav class="jumps" aria-label={translator.t('delivery.jumps')}>
              {props.receivers.length > 0 && (
                <JumpLink to="delivery-receivers" count={props.receivers.length}>
                  {translator.t(text.receivers)}
                </JumpLink>
              )}
              {props.fileCount > 0 && (
                <JumpLink to="delivery-files" count={props.fileCount}>
                  {translator.t('sentList.files')}
                </JumpLink>
              )}
              {item.message !== '' && <JumpLink to="delivery-message">{translator.t('common.message')}</JumpLink>}
              {props.history.length > 0 && (
                <JumpLink to="delivery-history">{translator.t('delivery.historyShort')}</JumpLink>
              )}
            </nav>
            {props.receivers.length > 0 ? (
              <section id="delivery-receivers">
                <SectionHead title={translator.t(text.receivers)}>{props.summary}</SectionHead>
                {props.warning}
                <ListForm csrf={props.csrf}>{props.list}</ListForm>
              </section>
            ) : (
              props.warning
            )}
            {props.children}
          </div>
        </article>
        <div class="aside">
          {props.aside}
          {item.message !== '' && (
            <Panel id="delivery-message" title={translator.t(text.message)}>
              <Message>{item.message}</Message>
            </Panel>
          )}
          <SentHistory entries={props.history} now={props.now} exportHref={`${path}/history.csv`} />
        </div>
      </div>
    </>
  );
}

/** Leads past what is long on a phone. */
function JumpLink({ to, count, children }: { to: string; count?: number; children: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <a href={`#${to}`}>
      {children}
      {count !== undefined && count > 1 && <span class="quiet"> {translator.formatNumber(count)}</span>}
    </a>
  );
}
