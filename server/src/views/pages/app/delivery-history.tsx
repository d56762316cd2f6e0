import type { JSX } from 'preact';
import { BriefMoment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { useTranslator } from '../../components/translator-context.ts';
import { isolate, oneLine } from '../../plain.ts';

const texts = {
  sent: 'delivery.history.sent',
  delivered: 'delivery.history.delivered',
  undeliverable: 'delivery.history.undeliverable',
  opened: 'delivery.history.opened',
  downloaded: 'delivery.history.downloaded',
  completed: 'delivery.history.completed',
  received: 'delivery.history.received',
  reminded: 'delivery.history.reminded',
  resent: 'delivery.history.resent',
  receiverAdded: 'delivery.history.receiverAdded',
  receiverRevoked: 'delivery.history.receiverRevoked',
  linkShown: 'delivery.history.linkShown',
  extended: 'delivery.history.extended',
  revoked: 'delivery.history.revoked',
  expired: 'delivery.history.expired',
} as const;

/** Something that happened to a delivery or a request. */
export interface HistoryEntry {
  readonly at: Date;
  readonly kind: keyof typeof texts;
  /** Whom it is about: a receiver, or for what a sender did nobody. */
  readonly name?: string | undefined;
  /** Who did it for the account. */
  readonly by?: string | undefined;
  /** A file, an address of the network, or the reply of a mail server. */
  readonly detail?: string | undefined;
}

/** The log of a delivery, newest first. */
export function DeliveryHistory(props: {
  entries: readonly HistoryEntry[];
  now: Date;
  exportHref?: string | undefined;
}): JSX.Element | null {
  const translator = useTranslator();
  if (props.entries.length === 0) return null;
  return (
    <Panel
      title={translator.t('delivery.history')}
      action={props.exportHref === undefined ? undefined : <a href={props.exportHref}>{translator.t('list.export')}</a>}
    >
      <ol class="log">
        {props.entries.map(({ at, kind, name, by, detail }, index) => (
          <li key={index}>
            <BriefMoment at={at} now={props.now} show="day-time" />
            <div>
              <p>{translator.t(texts[kind], { name: isolate(name ?? by ?? '') })}</p>
              {by !== undefined && name !== undefined && (
                <p class="small quiet">{translator.t('delivery.history.by', { name: isolate(by) })}</p>
              )}
              {detail !== undefined && (
                <p class="small quiet">
                  <bdi>{oneLine(detail)}</bdi>
                </p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
