import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';
import { CopyField } from '../components/copy-field.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Panel } from '../components/panel.tsx';
import { namePerson } from '../components/person.tsx';
import { OtherReceivers, SentList, type SentListLine, type SentListProps, Until } from '../sent/sent-list.tsx';
import { RequestChip, type RequestProgress } from './request-state.tsx';

/** A request for files in the list. */
export interface RequestLine extends SentListLine, RequestProgress {
  /** Empty if it has none. */
  readonly title: string | null;
  readonly message: string;
  readonly filesReceived: number;
}

export interface RequestsPageProps extends SentListProps<RequestLine> {
  /** The address of the account's public page, if it is open. */
  readonly publicPage?: string | undefined;
}

const parts = [
  ['open', 'requests.open'],
  ['closed', 'requests.closedOnes'],
  ['all', 'sentList.all'],
] as const;

/** Names a request by its title, or else by the first line of its message. */
export function nameRequest(
  translator: ViewTranslator,
  { title, message }: Pick<RequestLine, 'title' | 'message'>,
): string {
  return (
    oneLine(title ?? '') ||
    oneLine(message.trim().split('\n', 1)[0] ?? '').slice(0, 120) ||
    translator.t('requests.unnamed')
  );
}

export function RequestsPage(props: RequestsPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, canChange, now } = props;
  const path = `${base}requests`;
  return (
    <>
      <SentList<RequestLine>
        {...props}
        screen="requests"
        parts={parts}
        countedPart="open"
        action={
          canChange && (
            <ButtonLink icon="plus" class="button-tint" href={`${path}/new`}>
              {translator.t('requests.ask')}
            </ButtonLink>
          )
        }
        columns={[
          {
            name: 'what',
            label: translator.t('requests.what'),
            cell: (line) => (
              <span class="cut-line">
                <a class="row-link" dir="auto" href={`${path}/${line.id}`} title={nameRequest(translator, line)}>
                  {nameRequest(translator, line)}
                </a>
              </span>
            ),
          },
          {
            name: 'who',
            label: translator.t('requests.who'),
            cell: (line) => (
              <span class="cut-line">
                <bdi class="cut" title={namePerson(line.firstReceiver)}>
                  {namePerson(line.firstReceiver)}
                </bdi>
                <OtherReceivers line={line} />
              </span>
            ),
          },
          { name: 'arrived', label: translator.t('requests.arrivedColumn'), cell: (line) => <Arrived line={line} /> },
          { name: 'until', label: translator.t('requests.until'), cell: (line) => <Until line={line} now={now} /> },
          {
            name: 'state',
            label: translator.t('requests.state'),
            cell: (line) => <RequestChip request={line} now={now} />,
          },
        ]}
        empty={<NothingAsked {...props} />}
      />
      {props.publicPage !== undefined && (
        <Panel title={translator.t('settings.public')}>
          <p class="quiet">
            {translator.t('settings.publicAbout')} {translator.t('settings.public.openNote')}
          </p>
          <CopyField label={translator.t('settings.public')} value={props.publicPage} />
        </Panel>
      )}
    </>
  );
}

function Arrived({ line: { filesReceived, waiting, receivers } }: { line: RequestLine }): JSX.Element {
  const translator = useTranslator();
  if (filesReceived === 0) return <span class="quiet">{translator.t('requests.nothingYet')}</span>;
  return (
    <span>
      {translator.t('sent.count', { count: filesReceived })}{' '}
      {receivers > 1 && (
        <span class="quiet">{translator.t('requests.fromSome', { count: receivers - waiting, of: receivers })}</span>
      )}
    </span>
  );
}

function NothingAsked({ base, part, canChange }: RequestsPageProps): JSX.Element {
  const translator = useTranslator();
  if (part === 'closed') {
    return (
      <EmptyState icon="request" title={translator.t('list.nothingHere')}>
        {translator.t('requests.noneClosedText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="request"
      title={translator.t('requests.empty')}
      action={
        canChange ? (
          <ButtonLink icon="request" href={`${base}requests/new`}>
            {translator.t('requests.ask')}
          </ButtonLink>
        ) : undefined
      }
    >
      {translator.t('requests.emptyText')}
    </EmptyState>
  );
}
