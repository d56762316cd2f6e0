import type { JSX } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Breakable } from '../../shared/components/breakable.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { Panel } from '../components/panel.tsx';

const texts = {
  sent: 'delivery.history.sent',
  delivered: 'delivery.history.delivered',
  undeliverable: 'delivery.history.undeliverable',
  opened: 'delivery.history.opened',
  downloaded: 'delivery.history.downloaded',
  completed: 'delivery.history.completed',
  received: 'delivery.history.received',
  reminded: 'delivery.history.reminded',
  remindedSome: 'delivery.history.remindedSome',
  resent: 'delivery.history.resent',
  resentSome: 'delivery.history.resentSome',
  receiverAdded: 'delivery.history.receiverAdded',
  receiverRevoked: 'delivery.history.receiverRevoked',
  linkShown: 'delivery.history.linkShown',
  linksShown: 'delivery.history.linksShown',
  ownDownload: 'delivery.history.ownDownload',
  sharedLink: 'delivery.history.sharedLink',
  extended: 'delivery.history.extended',
  revoked: 'delivery.history.revoked',
  restored: 'delivery.history.restored',
  expired: 'delivery.history.expired',
} as const;

/** Something that happened to a delivery or a request. */
export interface HistoryEntry {
  readonly at: Date;
  readonly kind: keyof typeof texts;
  /** The person it is about: a receiver, or for what a sender did nobody. */
  readonly name?: string | undefined;
  /** How many receivers it is about, if there are several. */
  readonly count?: number | undefined;
  /** The person who did it for the account. */
  readonly by?: string | undefined;
  /** A file, an address of the network, the reply of a mail server, or the mail address of a person who did it. */
  readonly detail?: string | undefined;
}

/** One entry as a sentence. */
export function describeEntry({ t }: ViewTranslator, { kind, name, by, count = 0 }: HistoryEntry): string {
  return t(texts[kind], { name: isolate(name ?? by ?? ''), count });
}

/** As many entries as a page shows at first, and when it is asked for more; the export has all of them. */
const shownAtFirst = 12;
const shownEntries = 100;

/** The log of a delivery, newest first. */
export function SentHistory(props: {
  entries: readonly HistoryEntry[];
  now: Date;
  exportHref?: string | undefined;
}): JSX.Element | null {
  const translator = useTranslator();
  const { entries, now, exportHref } = props;
  if (entries.length === 0) return null;
  const earlier = entries.slice(shownAtFirst, shownEntries);
  return (
    <Panel
      id="delivery-history"
      title={translator.t('delivery.history')}
      action={exportHref === undefined ? undefined : <a href={exportHref}>{translator.t('list.export')}</a>}
    >
      <Log entries={entries.slice(0, shownAtFirst)} now={now} isNewest />
      {earlier.length > 0 && (
        <details class="log-more">
          <summary>{translator.t('delivery.history.earlier', { count: earlier.length })}</summary>
          <Log entries={earlier} now={now} />
          {entries.length > shownEntries && exportHref !== undefined && (
            <p class="small quiet">{translator.t('delivery.history.more')}</p>
          )}
        </details>
      )}
    </Panel>
  );
}

function Log(props: { entries: readonly HistoryEntry[]; now: Date; isNewest?: boolean }): JSX.Element {
  const translator = useTranslator();
  return (
    <ol class="log">
      {props.entries.map((entry, index) => (
        <li key={index}>
          <BriefMoment at={entry.at} now={props.now} show="day-time" />
          <div>
            <p {...(props.isNewest && index === 0 ? { 'data-newest': '' } : {})}>
              <Breakable>{describeEntry(translator, entry)}</Breakable>
            </p>
            {entry.by !== undefined && (entry.name ?? entry.count) !== undefined && (
              <p class="small quiet">{translator.t('delivery.history.by', { name: isolate(entry.by) })}</p>
            )}
            {entry.detail !== undefined && (
              <p class="small quiet">
                <bdi>
                  <Breakable>{oneLine(entry.detail)}</Breakable>
                </bdi>
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
