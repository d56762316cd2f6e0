import type { JSX } from 'preact';
import { Field } from '../../components/field.tsx';
import { fillText } from '../../components/fill-text.ts';
import { Moment } from '../../components/moment.tsx';
import { namePerson } from '../../components/person.tsx';
import { DeadlineField, TaskForm } from '../../components/task-form.tsx';
import { useTranslator } from '../../components/translator-context.ts';
import { isolate, oneLine } from '../../plain.ts';
import { LinkForm, type Task, useProblem } from './delivery-task.tsx';
import type { FileRequest, RequestContact } from './request-page.tsx';

interface TaskProps {
  readonly request: FileRequest;
  readonly contacts: readonly RequestContact[];
  readonly csrf: string;
  readonly path: string;
  readonly task: Task;
}

/** A change of a request that needs a decision or a value. */
export function RequestTask(props: TaskProps): JSX.Element {
  const translator = useTranslator();
  const { request, contacts, csrf, path, task } = props;
  const { form, field } = useProblem(task);
  const common = { csrf, problem: form, cancelHref: path } as const;
  const until = <Moment at={request.expiresAt} />;
  if (task.what === 'link') return <LinkForm {...props} receivers={contacts} position={task.position} />;
  if (task.what === 'extend') {
    const waiting = contacts.filter(({ completedAt, revokedAt }) => !completedAt && !revokedAt).length;
    return (
      <TaskForm
        {...common}
        title={translator.t('requests.extendTitle')}
        about={
          <p>
            {fillText(translator, 'delivery.extendAbout', { until })}{' '}
            {translator.t('requests.extendCount', { count: waiting })}
          </p>
        }
        action={`${path}/extend`}
        submit={translator.t('delivery.extend')}
        icon="calendar"
      >
        <DeadlineField
          {...task.choices}
          chosenDays={task.choices.days[0] ?? 0}
          value={task.input?.date}
          problem={field('date')}
        />
      </TaskForm>
    );
  }
  if (task.what === 'revoke') return <CloseForm {...props} position={task.position} undoSeconds={task.undoSeconds} />;
  const wrong = contacts.find(({ position }) => task.what === 'correct' && position === task.position);
  return (
    <TaskForm
      {...common}
      title={translator.t(wrong ? 'delivery.correctTitle' : 'requests.addTitle')}
      about={
        <p>
          {wrong
            ? fillText(translator, 'requests.correctAbout', { address: <bdi>{wrong.email}</bdi>, until })
            : fillText(translator, request.notify ? 'requests.addAbout' : 'requests.addAboutLink', { until })}
        </p>
      }
      action={wrong ? `${path}/receivers/${wrong.position}/correct` : `${path}/receivers`}
      submit={translator.t(wrong ? 'delivery.correctSubmit' : 'requests.addSubmit')}
      icon="send"
    >
      <div class="field-row">
        <Field
          id="receiver-email"
          type="email"
          name="email"
          label={translator.t('contacts.email')}
          value={oneLine(task.input?.email ?? wrong?.email ?? '')}
          required
          autocomplete="off"
          maxLength={254}
          problem={field('email', 'known', 'notAllowed')}
        />
        <Field
          id="receiver-name"
          name="name"
          label={translator.t('contacts.nameOptional')}
          value={oneLine(task.input?.name ?? wrong?.name ?? '')}
          autocomplete="off"
          maxLength={200}
        />
      </div>
    </TaskForm>
  );
}

function CloseForm(props: TaskProps & { position: number | undefined; undoSeconds: number | undefined }): JSX.Element {
  const translator = useTranslator();
  const { request, contacts, csrf, path, task, position, undoSeconds } = props;
  const { form } = useProblem(task);
  const only = contacts.find((contact) => contact.position === position);
  const affected = (only ? [only] : contacts).filter(({ revokedAt }) => revokedAt === null);
  const waiting = affected.filter(({ completedAt }) => completedAt === null).length;
  const received = affected.reduce((sum, { filesReceived }) => sum + filesReceived, 0);
  const lines = [
    ...(waiting > 0 ? [translator.t('requests.closeWaiting', { count: waiting })] : []),
    translator.t('requests.closeDrafts'),
    ...(received > 0 ? [translator.t('requests.closeReceived', { count: received })] : []),
    undoSeconds === undefined
      ? translator.t('requests.closeFinal')
      : translator.t('delivery.revokeUndo', { count: undoSeconds / 60 }),
  ];
  return (
    <TaskForm
      title={
        only
          ? translator.t('requests.closeOneTitle', { reference: request.reference, name: isolate(namePerson(only)) })
          : translator.t('requests.closeTitle', { reference: request.reference })
      }
      about={
        <ul class="consequences">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      }
      problem={form}
      csrf={csrf}
      action={`${path}/revoke`}
      fields={only ? { receiver: String(only.position) } : {}}
      submit={translator.t('requests.closeSubmit', { count: affected.length })}
      icon="stop"
      danger
      cancelHref={path}
      cancel={translator.t('requests.keep')}
    />
  );
}
