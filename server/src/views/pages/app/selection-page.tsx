import type { JSX } from 'preact';
import { Crumbs } from '../../components/crumbs.tsx';
import { Field } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { DeadlineField, TaskForm } from '../../components/task-form.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { oneLine } from '../../plain.ts';
import type { DeadlineChoices } from './delivery-task.tsx';
import type { ListProps } from './list-props.ts';

/** One of the selected rows. */
export interface SelectedRow {
  /** The value of its checkbox. */
  readonly value: string;
  /** By which people know it: a reference and a name, or a contact. */
  readonly name: string;
}

/** An action on several rows that needs a decision or a value. */
export type SelectionTask =
  /** How many receivers do not have the files yet, and how many have them. */
  | {
      readonly what: 'revokeSent';
      readonly waiting: number;
      readonly done: number;
      readonly undoSeconds?: number | undefined;
    }
  | { readonly what: 'extendSent'; readonly choices: DeadlineChoices }
  | { readonly what: 'closeRequests'; readonly waiting: number; readonly undoSeconds?: number | undefined }
  | { readonly what: 'extendRequests'; readonly choices: DeadlineChoices }
  /** How many of the selected contacts are the administrator's, and stay as they are. */
  | { readonly what: 'removeContacts'; readonly globalCount: number }
  | { readonly what: 'groupContacts'; readonly globalCount: number; readonly groups: readonly string[] };

export interface SelectionPageProps extends ListProps {
  readonly task: SelectionTask;
  readonly rows: readonly SelectedRow[];
  /** The query of the page of the list on which they were selected. */
  readonly back?: string | undefined;
  /** Why the last attempt was refused. */
  readonly problem?: string | undefined;
}

const kinds = {
  revokeSent: { list: 'sent', action: 'revoke', crumb: 'frame.sent', title: 'sentList.revokeTitle' },
  extendSent: { list: 'sent', action: 'extend', crumb: 'frame.sent', title: 'sentList.extendTitle' },
  closeRequests: { list: 'requests', action: 'revoke', crumb: 'frame.requests', title: 'requests.closeSomeTitle' },
  extendRequests: { list: 'requests', action: 'extend', crumb: 'frame.requests', title: 'requests.extendSomeTitle' },
  removeContacts: { list: 'contacts', action: 'remove', crumb: 'frame.contacts', title: 'contacts.removeSomeTitle' },
  groupContacts: { list: 'contacts', action: 'group', crumb: 'frame.contacts', title: 'contacts.groupTitle' },
} as const;

export function selectionTitle(
  translator: ViewTranslator,
  { task, rows }: Pick<SelectionPageProps, 'task' | 'rows'>,
): string {
  return translator.t(kinds[task.what].title, { count: rows.length });
}

/** Asks before several rows of a list are changed at once: says what happens to whom, and with how many. */
export function SelectionPage(props: SelectionPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, task, rows } = props;
  const { list, action, crumb } = kinds[task.what];
  const path = `${base}${list}`;
  const listHref = `${path}${props.back ?? ''}`;
  const title = selectionTitle(translator, props);
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t(crumb)} href={listHref}>
            {translator.t('list.selected')} {translator.formatNumber(rows.length)}
          </Crumbs>
        }
        title={title}
      />
      <TaskForm
        title={translator.t('list.whatHappens')}
        about={<Consequences task={task} rows={rows} />}
        problem={props.problem}
        csrf={csrf}
        action={`${path}/${action}`}
        fields={{ confirmed: '1', ...(props.back !== undefined && { back: props.back }) }}
        submit={nameSubmit(translator, task, rows.length)}
        danger={task.what === 'revokeSent' || task.what === 'closeRequests' || task.what === 'removeContacts'}
        cancelHref={listHref}
      >
        {'choices' in task && <DeadlineField {...task.choices} chosenDays={task.choices.days[0] ?? 0} />}
        {task.what === 'groupContacts' && (
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

function Consequences({ task, rows }: Pick<SelectionPageProps, 'task' | 'rows'>): JSX.Element {
  const translator = useTranslator();
  const lines = listConsequences(translator, task, rows.length);
  return (
    <ul class="consequences">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function listConsequences({ t }: ViewTranslator, task: SelectionTask, count: number): string[] {
  const undo = (seconds: number | undefined, final: string) =>
    seconds === undefined ? t(final) : t('delivery.revokeUndo', { count: seconds / 60 });
  if (task.what === 'revokeSent') {
    return [
      ...(task.waiting > 0 ? [t('delivery.revokeWaiting', { count: task.waiting })] : []),
      ...(task.done > 0 ? [t('delivery.revokeDone', { count: task.done })] : []),
      undo(task.undoSeconds, 'delivery.revokeFinal'),
    ];
  }
  if (task.what === 'closeRequests') {
    return [
      ...(task.waiting > 0 ? [t('requests.closeWaiting', { count: task.waiting })] : []),
      t('requests.closeDrafts'),
      undo(task.undoSeconds, 'requests.closeFinal'),
    ];
  }
  if (task.what === 'removeContacts' || task.what === 'groupContacts') {
    const about = task.what === 'removeContacts' ? 'contacts.removeSomeAbout' : 'contacts.groupAbout';
    const kept = task.globalCount > 0 ? [t('contacts.globalKept', { count: task.globalCount })] : [];
    return [t(about, { count }), ...kept];
  }
  return [t('sentList.extendAbout')];
}

function nameSubmit({ t }: ViewTranslator, task: SelectionTask, count: number): string {
  if (task.what === 'revokeSent') return t('sentList.revokeSubmit', { count });
  if (task.what === 'closeRequests') return t('requests.closeSomeSubmit', { count });
  if (task.what === 'removeContacts') return t('contacts.removeSomeSubmit', { count });
  if (task.what === 'groupContacts') return t('contacts.groupSubmit');
  return t('delivery.extend');
}
