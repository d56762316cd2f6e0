import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { namePerson } from '../components/person.tsx';
import type { Progress } from '../components/progress.ts';
import { toHref } from '../shared/list-props.ts';
import { Route } from './route.tsx';
import { OtherReceivers, SentList, type SentListLine, type SentListProps, Until } from './sent-list.tsx';

/** A delivery in the list. */
export interface SentLine extends SentListLine, Progress {
  readonly fileCount: number;
  readonly totalBytes: number;
  /** The name of the first file; null if there is none: a message alone. */
  readonly firstFile: string | null;
}

const parts = [
  ['all', 'sentList.all'],
  ['attention', 'sentList.attention'],
  ['underway', 'sentList.underway'],
  ['done', 'sentList.done'],
] as const;
const senders = [
  ['', 'sentList.byAnyone'],
  ['me', 'sentList.byMe'],
  ['programs', 'sentList.byPrograms'],
] as const;

export function SentListPage(props: SentListProps<SentLine>): JSX.Element {
  const translator = useTranslator();
  const { base, query, part, by = '', now } = props;
  const path = `${base}sent`;
  return (
    <SentList<SentLine>
      {...props}
      screen="sent"
      parts={parts}
      countedPart="attention"
      choices={[
        {
          name: 'by',
          label: translator.t('sentList.by'),
          value: by,
          options: senders.map(([value, text]) => [value, translator.t(text)]),
        },
      ]}
      action={
        <ButtonLink
          look="plain"
          icon="download"
          href={toHref(`${path}.csv`, { q: query, part: part === 'all' ? '' : part, by })}
        >
          {translator.t('list.export')}
        </ButtonLink>
      }
      columns={[
        {
          name: 'to',
          label: translator.t('common.to'),
          cell: (line) => (
            <span class="cut-line">
              <a
                class="row-link"
                dir="auto"
                href={`${path}/${line.id}`}
                title={nameFirst(translator, line.firstReceiver)}
              >
                {nameFirst(translator, line.firstReceiver)}
              </a>
              <OtherReceivers line={line} />
            </span>
          ),
        },
        { name: 'files', label: translator.t('sentList.files'), cell: (line) => <Files line={line} /> },
        { name: 'progress', label: translator.t('sentList.progress'), cell: (line) => <Route progress={line} /> },
        {
          name: 'until',
          label: translator.t('sentList.until'),
          sort: props.sorts?.until,
          cell: (line) => <Until line={line} now={now} />,
        },
        {
          name: 'sent',
          label: translator.t('status.sent'),
          sort: props.sorts?.sent,
          cell: ({ createdAt }) => <BriefMoment at={createdAt} now={now} />,
        },
        {
          name: 'reference',
          label: translator.t('sentList.reference'),
          cell: ({ reference }) => <span class="reference">{reference}</span>,
        },
      ]}
      empty={<NothingSent {...props} />}
    />
  );
}

/** A delivery is known by its title, and without one by its files. */
function Files({ line: { title, fileCount, firstFile, totalBytes } }: { line: SentLine }): JSX.Element {
  const translator = useTranslator();
  if (title !== null) {
    return (
      <bdi class="cut" title={oneLine(title)}>
        {oneLine(title)}
      </bdi>
    );
  }
  if (fileCount === 0 || firstFile === null) return <span class="quiet">{translator.t('sentList.messageOnly')}</span>;
  if (fileCount === 1) {
    return (
      <bdi class="cut" title={oneLine(firstFile)}>
        {oneLine(firstFile)}
      </bdi>
    );
  }
  return (
    <span class="cut">
      {translator.t('sent.count', { count: fileCount })}, {translator.formatSize(totalBytes)}
    </span>
  );
}

function NothingSent({ base, part, by = '', canChange }: SentListProps<SentLine>): JSX.Element {
  const translator = useTranslator();
  const showAll = <ButtonLink href={`${base}sent`}>{translator.t('list.showAll')}</ButtonLink>;
  if (part === 'attention') {
    return (
      <EmptyState icon="check" title={translator.t('sentList.noAttention')} action={showAll}>
        {translator.t('sentList.noAttentionText')}
      </EmptyState>
    );
  }
  if (part !== 'all' || by !== '') {
    return (
      <EmptyState icon="sent" title={translator.t('list.nothingHere')} action={showAll}>
        {translator.t('sentList.nothingHereText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="sent"
      title={translator.t('sentList.empty')}
      action={
        canChange ? (
          <ButtonLink icon="send" href={base}>
            {translator.t('sentList.send')}
          </ButtonLink>
        ) : undefined
      }
    >
      {translator.t('sentList.emptyText')}
    </EmptyState>
  );
}

/** A drop without receivers is for anybody who has its link. */
function nameFirst(translator: ViewTranslator, first: SentLine['firstReceiver']): string {
  return first.email === '' ? translator.t('sharedLink.somebody') : namePerson(first);
}
