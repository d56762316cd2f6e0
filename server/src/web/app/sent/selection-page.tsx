import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Field } from '../../shared/components/field.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { DeadlineField, TaskForm } from '../components/task-form.tsx';
import type { ListProps } from '../shared/list-props.ts';
import type { SentScreen } from './sent-notice.tsx';
import { Consequences, type DeadlineChoices, listConsequences } from './sent-task.tsx';

/** One of the selected rows. */
export interface SelectedRow {
  /** The value of its checkbox. */
  readonly value: string;
  /** By which people know it: a reference and a name, or a contact. */
  readonly name: string;
}

/** An action on several rows that needs a decision or a value. */
export type SelectionTask =
  /** How many receivers have not done their part yet, and how many have. */
  | {
      readonly list: SentScreen;
      readonly what: 'revoke';
      readonly waiting: number;
      readonly done: number;
      readonly undoSeconds?: number | undefined;
    }
  | { readonly list: SentScreen; readonly what: 'extend'; readonly choices: DeadlineChoices }
  /** How many of the selected contacts are the administrator's, and stay as they are. */
  | { readonly list: 'contacts'; readonly what: 'remove'; readonly globalCount: number }
  | {
      readonly list: 'contacts';
      readonly what: 'group';
      readonly globalCount: number;
      readonly groups: readonly string[];
    };

export interface SelectionPageProps extends ListProps {
  readonly task: SelectionTask;
  readonly rows: readonly SelectedRow[];
  /** The query of the page of the list on which they were selected. */
  readonly back?: string | undefined;
  /** Why the last attempt was refused. */
  readonly problem?: string | undefined;
}

const crumbs = { sent: 'frame.sent', requests: 'frame.requests', contacts: 'frame.contacts' } as const;
const texts = {
  sent: {
    revoke: { title: 'sentList.revokeTitle', submit: 'sentList.revokeSubmit' },
    extend: { title: 'sentList.extendTitle', submit: 'delivery.extend' },
  },
  requests: {
    revoke: { title: 'requests.closeSomeTitle', submit: 'requests.closeSomeSubmit' },
    extend: { title: 'requests.extendSomeTitle', submit: 'delivery.extend' },
  },
  contacts: {
    remove: { title: 'contacts.removeSomeTitle', submit: 'contacts.removeSomeSubmit' },
    group: { title: 'contacts.groupTitle', submit: 'contacts.groupSubmit' },
  },
} as const;

function findTexts(task: SelectionTask): { readonly title: string; readonly submit: string } {
  return task.list === 'contacts' ? texts.contacts[task.what] : texts[task.list][task.what];
}

export function selectionTitle(
  translator: ViewTranslator,
  { task, rows }: Pick<SelectionPageProps, 'task' | 'rows'>,
): string {
  return translator.t(findTexts(task).title, { count: rows.length });
}

/** Asks before several rows of a list are changed at once: says what happens to whom, and with how many. */
export function SelectionPage(props: SelectionPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, task, rows } = props;
  const { list, what } = task;
  const path = `${base}${list}`;
  const listHref = `${path}${props.back ?? ''}`;
  const title = selectionTitle(translator, props);
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t(crumbs[list])} href={listHref}>
            {translator.t('list.selected')} {translator.formatNumber(rows.length)}
          </Crumbs>
        }
        title={title}
      />
      <TaskForm
        title={translator.t('list.whatHappens')}
        about={<Consequences lines={toLines(translator, task, rows.length)} />}
        problem={props.problem}
        csrf={csrf}
        action={`${path}/${what}`}
        fields={{ confirmed: '1', ...(props.back !== undefined && { back: props.back }) }}
        submit={translator.t(findTexts(task).submit, { count: rows.length })}
        danger={what === 'revoke' || what === 'remove'}
        cancelHref={listHref}
      >
        {task.what === 'extend' && <DeadlineField {...task.choices} chosenDays={task.choices.chosen ?? 0} />}
        {task.what === 'group' && (
          <Field
            id="group"
            name="group"
            label={translator.t('contacts.groupName')}
            hint={
              task.groups.length === 0
                ? translator.t('contacts.groupsHint')
                : translator.t('contacts.groupsKnown', { groups: task.groups.slice(0, 8).map(oneLine).join(', ') })
            }
            required
            maxLength={200}
            autocomplete="off"
          />
        )}
        <ul class="selected-rows">
          {rows.map(({ value, name }) => (
            <li key={value}>
              <input type="hidden" name={list === 'contacts' ? 'email' : 'id'} value={value} />
              <bdi>{oneLine(name)}</bdi>
            </li>
          ))}
        </ul>
      </TaskForm>
    </>
  );
}

function toLines(translator: ViewTranslator, task: SelectionTask, count: number): string[] {
  const { t } = translator;
  if (task.what === 'extend') return [t('sentList.extendAbout')];
  if (task.what === 'revoke') {
    const { list, waiting, done, undoSeconds } = task;
    const kept = list === 'sent' && done > 0 ? [t('delivery.revokeDone', { count: done })] : [];
    return listConsequences(translator, list, { waiting, kept, undoSeconds });
  }
  const about = task.what === 'remove' ? 'contacts.removeSomeAbout' : 'contacts.groupAbout';
  const kept = task.globalCount > 0 ? [t('contacts.globalKept', { count: task.globalCount })] : [];
  return [t(about, { count }), ...kept];
}
