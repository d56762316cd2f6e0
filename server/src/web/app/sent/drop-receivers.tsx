import type { ComponentChildren, JSX } from 'preact';
import type { FollowedReceiver, SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { ReceiptLinks } from '../../shared/components/receipt-links.tsx';
import { CopyField, CopyLinkButton } from '../components/copy-field.tsx';
import { namePerson, PersonLine } from '../components/person.tsx';
import { isUnreached } from '../components/progress.ts';
import { QrCode } from '../components/qr-code.tsx';
import { type MenuAction, RowMenu } from '../components/row-menu.tsx';
import { explainBounce, isReply } from './bounce-reason.ts';
import { type Status, StatusChip } from './status-chip.tsx';
import { Timeline } from './timeline.tsx';

export interface SentItemReceiver extends FollowedReceiver {
  /** How many files they have sent; undefined if they were not asked for any. */
  readonly filesReceived?: number | undefined;
  /** The personal link of the receiver, on the page that shows it because it was asked for. */
  readonly link?: string | undefined;
}

export interface ReceiversProps {
  readonly drop: Pick<SentDrop, 'createdAt' | 'state' | 'notify'>;
  readonly receivers: readonly SentItemReceiver[];
  readonly path: string;
  readonly now: Date;
  readonly canChange: boolean;
  readonly canShowLinks: boolean;
}

/** With more receivers than this, those who need nothing are folded. */
export const comfortable = 8;

type OneProps = ReceiversProps & { readonly receiver: SentItemReceiver };

/** The last step that a receiver has reached. */
function findStatus({ state, notify }: ReceiversProps['drop'], receiver: SentItemReceiver): Status {
  if (receiver.completedAt) return 'downloaded';
  if (receiver.revokedAt) return 'revoked';
  if (isUnreached(receiver)) return 'undeliverable';
  if (state !== 'live') return state;
  if (receiver.openedAt) return 'opened';
  if (!notify) return 'linkCreated';
  return receiver.notifiedAt ? 'delivered' : 'sent';
}

/** A receiver with everything that is known. */
export function OpenReceiver(props: OneProps): JSX.Element {
  return (
    <li>
      <PersonLine person={props.receiver}>
        <DropReceiverActions {...props} />
      </PersonLine>
      <ReceiverProgress {...props} />
    </li>
  );
}

/** A receiver on one line, until it is opened. */
export function FoldedReceiver(props: OneProps): JSX.Element {
  const { receiver, drop, now } = props;
  const at = receiver.completedAt ?? receiver.openedAt ?? receiver.notifiedAt ?? drop.createdAt;
  return (
    <li>
      <details class="receiver-fold">
        <summary>
          <span class="receiver-name">
            <bdi class="cut">{namePerson(receiver)}</bdi>
          </span>
          <span class="receiver-at quiet">
            <BriefMoment at={at} now={now} show="day-time" />
          </span>
          <StatusChip status={findStatus(drop, receiver)} />
        </summary>
        <PersonLine person={receiver}>
          <DropReceiverActions {...props} />
        </PersonLine>
        <ReceiverProgress {...props} />
      </details>
    </li>
  );
}

function ReceiverProgress({ receiver, receivers, drop, now, path, canChange }: OneProps): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      <Timeline
        now={now}
        at={{
          ...(drop.notify ? { sent: drop.createdAt } : { linkCreated: drop.createdAt }),
          ...(receiver.notifiedAt ? { delivered: receiver.notifiedAt } : {}),
          ...(receiver.openedAt ? { opened: receiver.openedAt } : {}),
          ...(receiver.completedAt ? { downloaded: receiver.completedAt } : {}),
        }}
        undeliverableAt={isUnreached(receiver) ? (receiver.undeliverableAt ?? undefined) : undefined}
      />
      <ReceiverNotes
        receiver={receiver}
        path={path}
        canChange={canChange}
        hasCode={receivers.filter(({ link }) => link !== undefined).length <= comfortable}
      >
        {receiver.revokedAt && (
          <p class="receiver-note quiet">
            <Icon name="stop" small />
            {translator.t('delivery.receiverRevoked')}
          </p>
        )}
      </ReceiverNotes>
    </>
  );
}

/** The link of a receiver if it was asked for, what keeps mails from reaching them, and their receipt. */
export function ReceiverNotes(props: {
  receiver: SentItemReceiver;
  path: string;
  canChange: boolean;
  /** Whether a link that is shown has a QR code beside it. */
  hasCode?: boolean | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const { receiver, path, canChange } = props;
  return (
    <>
      <ShownLink receiver={receiver} hasCode={props.hasCode ?? true} />
      {props.children}
      {isUnreached(receiver) && receiver.revokedAt === null && (
        <Bounce receiver={receiver} path={path} canChange={canChange} />
      )}
      <Delay receiver={receiver} />
      <ReceiptLinks path={`${path}/receivers/${receiver.position}/receipt`} of={namePerson(receiver)} />
    </>
  );
}

/** The personal link of a receiver, on the page that shows it because it was asked for. */
function ShownLink({ receiver, hasCode }: { receiver: SentItemReceiver; hasCode: boolean }): JSX.Element | null {
  const translator = useTranslator();
  if (receiver.link === undefined) return null;
  const label = translator.t('delivery.linkOf', { name: isolate(namePerson(receiver)) });
  return (
    <div class="receiver-link">
      <p class="receiver-link-title">{label}</p>
      <div class="receiver-link-text">
        <CopyField label={label} value={receiver.link} />
        <p class="quiet small">{translator.t('delivery.linkNote')}</p>
      </div>
      {hasCode && (
        <div class="receiver-link-code">
          <QrCode
            text={receiver.link}
            label={translator.t('delivery.linkCodeOf', { name: isolate(namePerson(receiver)) })}
          />
          <p class="quiet small">{translator.t('delivery.linkCodeNote')}</p>
        </div>
      )}
    </div>
  );
}

/** Why the mail was not accepted yet, while it is tried again. */
function Delay({ receiver }: { receiver: SentItemReceiver }): JSX.Element | null {
  const { notifiedAt, undeliverableAt, undeliverableReason, revokedAt } = receiver;
  const translator = useTranslator();
  if (undeliverableReason === null || undeliverableAt || notifiedAt || revokedAt) return null;
  return (
    <p class="receiver-note quiet">
      <Icon name="alert" small />
      <span>
        {translator.t('delivery.triedAgain')}
        {isReply(undeliverableReason) && (
          <>
            {' '}
            {translator.t('delivery.serverSaid')} <q lang="en">{oneLine(undeliverableReason)}</q>
          </>
        )}
      </span>
    </p>
  );
}

/** Why the mail did not arrive, in words, and what can be done about it. */
function Bounce(props: { receiver: SentItemReceiver; path: string; canChange: boolean }): JSX.Element {
  const { receiver, path, canChange } = props;
  const translator = useTranslator();
  const { text, advice, isStopped } = explainBounce(receiver.undeliverableReason);
  return (
    <div class="trouble">
      <Icon name="alert" />
      <p>
        <strong>{translator.t(text)}</strong> {translator.t(advice)}
      </p>
      {isReply(receiver.undeliverableReason) && (
        <p class="small quiet">
          {translator.t('delivery.serverSaid')} <q lang="en">{oneLine(receiver.undeliverableReason)}</q>
        </p>
      )}
      {canChange && !isStopped && (
        <div class="actions">
          <ButtonLink icon="pencil" href={`${path}?do=correct&receiver=${receiver.position}#do`}>
            {translator.t('delivery.correct')}
          </ButtonLink>
          <Button look="plain" icon="retry" formAction={`${path}/receivers/${receiver.position}/resend`}>
            {translator.t('delivery.resend')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Whether the mail may be sent again to a receiver. */
export function canResend(receiver: SentItemReceiver, { notify }: { readonly notify: boolean }): boolean {
  return notify && receiver.completedAt === null && !isUnreached(receiver);
}

/** The changes of one receiver in a menu, and the main one also as a button. */
export function ReceiverActions(props: {
  receiver: SentItemReceiver;
  path: string;
  canResend: boolean;
  canShowLinks: boolean;
  canCorrect: boolean;
  main: 'resend' | 'link' | 'copy' | undefined;
}): JSX.Element | null {
  const translator = useTranslator();
  const { receiver, path } = props;
  if (receiver.revokedAt) return null;
  const name = namePerson(receiver);
  const resend = {
    label: translator.t('delivery.resend'),
    icon: 'mail',
    action: `${path}/receivers/${receiver.position}/resend`,
  } as const;
  const open = (task: string) => `${path}?do=${task}&receiver=${receiver.position}#do`;
  const link = { label: translator.t('delivery.showLink'), icon: 'link', href: open('link') } as const;
  const menu: readonly (MenuAction | false)[] = [
    props.canResend && resend,
    props.canShowLinks && link,
    props.canCorrect && { label: translator.t('delivery.correct'), icon: 'pencil', href: open('correct') },
    { label: translator.t('delivery.revokeOne'), icon: 'stop', href: open('revoke'), danger: true },
  ];
  return (
    <>
      {props.main === 'resend' && (
        <Button look="plain" icon="mail" class="on-desktop" formAction={resend.action}>
          {resend.label}
          <span class="unseen"> {name}</span>
        </Button>
      )}
      {props.main === 'copy' && (
        <CopyLinkButton look="plain" action={`${path}/link`} position={receiver.position}>
          <span class="unseen"> {name}</span>
        </CopyLinkButton>
      )}
      {props.main === 'link' && (
        <ButtonLink look="plain" icon="link" class="on-desktop" href={link.href}>
          {link.label}
          <span class="unseen"> {name}</span>
        </ButtonLink>
      )}
      <RowMenu
        id={`receiver-${receiver.position}`}
        label={translator.t('common.labelled', { label: translator.t('list.more'), value: name })}
        actions={menu.filter((action) => action !== false)}
      />
    </>
  );
}

function DropReceiverActions({ receiver, path, canChange, canShowLinks, drop }: OneProps): JSX.Element | null {
  if (!canChange) return null;
  const mayResend = canResend(receiver, drop);
  const mayShow = canShowLinks && !isUnreached(receiver);
  // Links that were made to be passed on are copied at once; for others, a page says first what follows.
  const showing = drop.notify ? 'link' : 'copy';
  return (
    <ReceiverActions
      receiver={receiver}
      path={path}
      canResend={mayResend}
      canShowLinks={canShowLinks}
      canCorrect={receiver.completedAt === null}
      main={mayResend && receiver.notifiedAt !== null ? 'resend' : mayShow ? showing : undefined}
    />
  );
}
