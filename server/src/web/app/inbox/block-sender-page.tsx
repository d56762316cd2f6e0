import type { JSX } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { fillText } from '../../shared/components/fill-text.ts';
import { Crumbs } from '../components/crumbs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { TaskForm } from '../components/task-form.tsx';
import type { ListProps } from '../shared/list-props.ts';

export interface BlockSenderPageProps extends Pick<ListProps, 'base' | 'csrf'> {
  readonly entryId: string;
  readonly sender: Person;
  readonly reference: string;
  readonly operator: string;
  /** Where the operator wants to be told about unwanted senders, if anywhere. */
  readonly support: string | undefined;
}

export function blockSenderTitle(translator: ViewTranslator): string {
  return translator.t('inbox.report');
}

/** Asks before the sender of an entry that nobody asked for is blocked, and says to whom they can be reported. */
export function BlockSenderPage(props: BlockSenderPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, entryId, sender, support, reference } = props;
  const path = `${base}inbox/${entryId}`;
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t('frame.inbox')} href={`${base}inbox`}>
            <bdi>{namePerson(sender)}</bdi>
          </Crumbs>
        }
        title={blockSenderTitle(translator)}
      />
      <TaskForm
        title={translator.t('inbox.blockTitle', { address: isolate(sender.email) })}
        about={
          <>
            <p>{translator.t('inbox.blockText')}</p>
            {support !== undefined && (
              <p>
                {fillText(translator, 'inbox.reportText', {
                  operator: <bdi>{props.operator}</bdi>,
                  address: (
                    <a
                      href={`mailto:${encodeURIComponent(support).replace('%40', '@')}?subject=${encodeURIComponent(reference)}`}
                    >
                      <bdi>{oneLine(support)}</bdi>
                    </a>
                  ),
                  reference: <span class="reference">{reference}</span>,
                })}
              </p>
            )}
          </>
        }
        csrf={csrf}
        action={`${path}/block`}
        submit={translator.t('inbox.block')}
        icon="stop"
        danger
        cancelHref={path}
      />
    </>
  );
}
