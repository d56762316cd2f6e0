import type { JSX } from 'preact';
import { isolate, manyLines, oneLine } from '../../../present/texts/plain.ts';
import type { Translator } from '../../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Field } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { Moment } from '../../shared/components/moment.tsx';
import { namePerson } from '../components/person.tsx';
import { ReceiversField } from '../components/receivers-field.tsx';
import { DeadlineField, TaskForm } from '../components/task-form.tsx';
import { PhoneRows, type PhoneRowsProps } from '../send/phone-rows.tsx';
import type { SentItemReceiver } from './drop-receivers.tsx';
import type { SentItem } from './sent-item.tsx';
import type { SentScreen } from './sent-notice.tsx';

/** The choices for a new deadline. */
export interface DeadlineChoices {
  readonly days: readonly number[];
  /** The one that is chosen at first: it moves the deadline by a day or more, if any does. */
  readonly chosen?: number | undefined;
  /** The first and the last day, as `2026-11-23`. */
  readonly min: string;
  readonly max: string;
}

/** The values that were sent and refused, to be corrected. */
export interface TaskInput {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  /** Of those who are added, as they were typed. */
  readonly receivers?: string | undefined;
  readonly date?: string | undefined;
}

/** A change of a delivery or a request that needs a decision or a value. */
export type Task = {
  readonly input?: TaskInput | undefined;
  readonly problem?: TaskProblem | undefined;
} /** Those who get a code by SMS, for a form without its script. */ & (
  | { readonly what: 'add'; readonly phones?: AddPhones | undefined }
  | { readonly what: 'extend'; readonly choices: DeadlineChoices }
  /** Of one receiver, or of all. */
  | { readonly what: 'revoke'; readonly position?: number | undefined; readonly undoSeconds?: number | undefined }
  /** Another address in the place of a wrong one. */
  | { readonly what: 'correct'; readonly position: number }
  /** Without a receiver: whose? */
  | { readonly what: 'link'; readonly position?: number | undefined }
);

const problems = {
  email: 'delivery.problem.email',
  known: 'delivery.problem.known',
  notAllowed: 'delivery.problem.notAllowed',
  phone: 'delivery.problem.phone',
  date: 'delivery.problem.date',
  limit: 'delivery.problem.limit',
  ended: 'delivery.problem.ended',
  changed: 'delivery.problem.changed',
} as const;

/** Writes the texts of the script that helps to add people as JSON that can be embedded in a page. */
export function addTexts(translator: Translator): string {
  const { language, locale, dir } = translator;
  return JSON.stringify({ language, locale, dir, texts: translator.texts('composer.', 'action.remove') });
}

export type TaskProblem = keyof typeof problems;

/** The numbers of those who are added, and how they get their codes. */
export type AddPhones = PhoneRowsProps;

interface TaskProps {
  readonly base: string;
  readonly screen: SentScreen;
  readonly item: SentItem;
  readonly receivers: readonly SentItemReceiver[];
  /** How many files a revocation deletes. */
  readonly fileCount: number;
  readonly csrf: string;
  readonly path: string;
  readonly task: Task;
}

const texts = {
  sent: {
    correctAbout: 'delivery.correctAbout',
    addAbout: 'delivery.addAbout',
    addAboutLink: 'delivery.addAboutLink',
    addTitle: 'delivery.addTitle',
    addSubmit: 'delivery.addSubmit',
    extendTitle: 'delivery.extendTitle',
    extendCount: 'delivery.extendCount',
    revokeTitle: 'delivery.revokeTitle',
    revokeOneTitle: 'delivery.revokeOneTitle',
    revokeWaiting: 'delivery.revokeWaiting',
    revokeMore: [],
    revokeFinal: 'delivery.revokeFinal',
    revokeSubmit: 'delivery.revokeSubmit',
    keep: 'delivery.keep',
  },
  requests: {
    correctAbout: 'requests.correctAbout',
    addAbout: 'requests.addAbout',
    addAboutLink: 'requests.addAboutLink',
    addTitle: 'requests.addTitle',
    addSubmit: 'requests.addSubmit',
    extendTitle: 'requests.extendTitle',
    extendCount: 'requests.extendCount',
    revokeTitle: 'requests.closeTitle',
    revokeOneTitle: 'requests.closeOneTitle',
    revokeWaiting: 'requests.closeWaiting',
    revokeMore: ['requests.closeDrafts'],
    revokeFinal: 'requests.closeFinal',
    revokeSubmit: 'requests.closeSubmit',
    keep: 'requests.keep',
  },
} as const;

/** A problem of one field is said at the field, any other at the top of the form. */
const fieldProblems: ReadonlySet<TaskProblem> = new Set(['email', 'known', 'notAllowed', 'phone', 'date']);

export function SentTask(props: TaskProps): JSX.Element {
  const { task } = props;
  if (task.what === 'revoke') return <RevokeForm {...props} position={task.position} undoSeconds={task.undoSeconds} />;
  if (task.what === 'extend') return <ExtendForm {...props} choices={task.choices} />;
  if (task.what === 'link') return <LinkForm {...props} position={task.position} />;
  if (task.what === 'correct') return <CorrectForm {...props} position={task.position} />;
  return <AddForm {...props} phones={task.phones} />;
}

/** Says what was wrong with the last attempt: at its field, or at the top of the form. */
function useProblem({ problem }: Pick<Task, 'problem'>) {
  const translator = useTranslator();
  const text = problem && translator.t(problems[problem]);
  const isOfField = problem !== undefined && fieldProblems.has(problem);
  return {
    form: isOfField ? undefined : text,
    field: (...of: readonly TaskProblem[]) => (problem && of.includes(problem) ? text : undefined),
  };
}

/** Adds people, in the field of the form with which it was sent. */
function AddForm(props: TaskProps & { phones: AddPhones | undefined }): JSX.Element {
  const translator = useTranslator();
  const { screen, item, csrf, path, task, phones } = props;
  const { form, field } = useProblem(task);
  const text = texts[screen];
  const until = <Moment at={item.expiresAt} />;
  const problem = field('email', 'known', 'notAllowed', 'phone');
  return (
    <TaskForm
      title={translator.t(text.addTitle)}
      about={<p>{fillText(translator, item.notify ? text.addAbout : text.addAboutLink, { until })}</p>}
      problem={form}
      csrf={csrf}
      action={`${path}/receivers`}
      submit={translator.t(text.addSubmit)}
      icon="send"
      cancelHref={path}
    >
      <div class="field" data-row="receiver">
        <label for="receiver" id="receiver-label">
          {translator.t('composer.to')}
        </label>
        <ReceiversField
          value={manyLines(task.input?.receivers ?? '')}
          href={`${props.base}receivers`}
          problem={problem}
        />
        <p id="receiver-problem" class="field-problem">
          {problem && (
            <>
              <Icon name="alert" small />
              <span>{problem}</span>
            </>
          )}
        </p>
      </div>
      {item.secondFactor === 'sms' && phones && (
        <div
          id="composer-phones"
          data-calling-code={phones.callingCode}
          data-can-choose-mail={phones.canChooseMail ? 'true' : undefined}
        >
          <PhoneRows {...phones} />
        </div>
      )}
    </TaskForm>
  );
}

function CorrectForm(props: TaskProps & { position: number }): JSX.Element {
  const translator = useTranslator();
  const { screen, item, receivers, csrf, path, task, position } = props;
  const { form, field } = useProblem(task);
  const text = texts[screen];
  const wrong = receivers.find((receiver) => receiver.position === position);
  const until = <Moment at={item.expiresAt} />;
  const about = fillText(translator, text.correctAbout, { address: <bdi>{wrong?.email ?? ''}</bdi>, until });
  return (
    <TaskForm
      title={translator.t('delivery.correctTitle')}
      about={<p>{about}</p>}
      problem={form}
      csrf={csrf}
      action={`${path}/receivers/${position}/correct`}
      submit={translator.t('delivery.correctSubmit')}
      icon="send"
      cancelHref={path}
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
        {screen === 'sent' && item.secondFactor === 'sms' && (
          <Field
            id="receiver-phone"
            name="phone"
            inputMode="tel"
            label={translator.t('contacts.phone')}
            hint={translator.t('contacts.phoneHint')}
            value={oneLine(task.input?.phone ?? '')}
            autocomplete="off"
            problem={field('phone')}
          />
        )}
      </div>
    </TaskForm>
  );
}

function ExtendForm(props: TaskProps & { choices: DeadlineChoices }): JSX.Element {
  const translator = useTranslator();
  const { screen, item, receivers, csrf, path, task, choices } = props;
  const { form, field } = useProblem(task);
  const waiting = receivers.filter(({ completedAt, revokedAt }) => !completedAt && !revokedAt).length;
  return (
    <TaskForm
      title={translator.t(texts[screen].extendTitle)}
      about={
        <p>
          {fillText(translator, 'delivery.extendAbout', { until: <Moment at={item.expiresAt} /> })}{' '}
          {translator.t(texts[screen].extendCount, { count: waiting })}
        </p>
      }
      problem={form}
      csrf={csrf}
      action={`${path}/extend`}
      submit={translator.t('delivery.extend')}
      icon="calendar"
      cancelHref={path}
    >
      <DeadlineField
        {...choices}
        chosenDays={choices.chosen ?? 0}
        // Without a number of days that is later, the last day that is allowed.
        value={task.input?.date ?? (choices.chosen === undefined ? choices.max : undefined)}
        problem={field('date')}
      />
    </TaskForm>
  );
}

function RevokeForm(props: TaskProps & { position: number | undefined; undoSeconds: number | undefined }): JSX.Element {
  const translator = useTranslator();
  const { screen, item, receivers, fileCount, csrf, path, task, position, undoSeconds } = props;
  const { form } = useProblem(task);
  const text = texts[screen];
  const only = receivers.find((receiver) => receiver.position === position);
  const affected = (only ? [only] : receivers).filter(({ revokedAt }) => revokedAt === null);
  const done = affected.filter(({ completedAt }) => completedAt !== null);
  const received = affected.reduce((sum, { filesReceived = 0 }) => sum + filesReceived, 0);
  const nameDone = () =>
    done[0] && done.length === 1
      ? translator.t('delivery.revokeDoneOne', { name: isolate(namePerson(done[0])) })
      : translator.t('delivery.revokeDone', { count: done.length });
  const lines = listConsequences(translator, screen, {
    waiting: affected.length - done.length,
    kept: [
      ...(screen === 'sent' && done.length > 0 ? [nameDone()] : []),
      ...(received > 0 ? [translator.t('requests.closeReceived', { count: received })] : []),
    ],
    undoSeconds: only ? undefined : undoSeconds,
  });
  if (!only && undoSeconds !== undefined && fileCount > 0) {
    lines.push(translator.t('delivery.revokeFilesLater', { count: fileCount }));
  }
  return (
    <TaskForm
      title={
        only
          ? translator.t(text.revokeOneTitle, { reference: item.reference, name: isolate(namePerson(only)) })
          : translator.t(text.revokeTitle, { reference: item.reference })
      }
      about={<Consequences lines={lines} />}
      problem={form}
      csrf={csrf}
      action={`${path}/revoke`}
      fields={only ? { receiver: String(only.position) } : {}}
      submit={translator.t(text.revokeSubmit, { count: affected.length })}
      icon="stop"
      danger
      cancelHref={path}
      cancel={translator.t(text.keep)}
    />
  );
}

/** The effect of a revocation of deliveries, or of the end of requests: on those who still wait, and what it leaves as it is. */
export function listConsequences(
  translator: ViewTranslator,
  screen: SentScreen,
  { waiting, kept, undoSeconds }: { waiting: number; kept: readonly string[]; undoSeconds: number | undefined },
): string[] {
  const { revokeWaiting, revokeMore, revokeFinal } = texts[screen];
  return [
    ...(waiting > 0 ? [translator.t(revokeWaiting, { count: waiting })] : []),
    ...revokeMore.map((text) => translator.t(text)),
    ...kept,
    undoSeconds === undefined
      ? translator.t(revokeFinal)
      : translator.t('delivery.revokeUndo', { count: undoSeconds / 60 }),
  ];
}

export function Consequences({ lines }: { lines: readonly string[] }): JSX.Element {
  return (
    <ul class="consequences">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** As many people as one finds in a list of radio buttons; the others are on the page, each with a menu. */
const offeredPeople = 20;

/** Says what follows before a link is shown: a person who sees it can act as its receiver. */
function LinkForm(props: TaskProps & { position: number | undefined }): JSX.Element {
  const translator = useTranslator();
  const { receivers, csrf, path, task, position } = props;
  const { form } = useProblem(task);
  const only = receivers.find((receiver) => receiver.position === position);
  const offered = only ? [only] : receivers.filter(({ revokedAt }) => revokedAt === null);
  return (
    <TaskForm
      title={
        only
          ? translator.t('delivery.linkTitleOne', { name: isolate(namePerson(only)) })
          : translator.t('delivery.linkTitle')
      }
      about={<p>{translator.t('delivery.linkAbout')}</p>}
      problem={form}
      csrf={csrf}
      action={`${path}/link`}
      fields={only ? { receiver: String(only.position) } : {}}
      submit={translator.t('delivery.linkSubmit')}
      icon="link"
      cancelHref={path}
    >
      {!only && (
        <fieldset class="choices">
          <legend>{translator.t('delivery.linkWhose')}</legend>
          {offered.slice(0, offeredPeople).map((receiver, index) => (
            <label key={receiver.position} class="choice">
              <input type="radio" name="receiver" value={receiver.position} checked={index === 0} />
              <bdi>{namePerson(receiver)}</bdi>
            </label>
          ))}
          {offered.length > 1 && (
            <label class="choice">
              <input type="radio" name="receiver" value="" />
              {translator.t('delivery.linkAll', { count: offered.length })}
            </label>
          )}
        </fieldset>
      )}
    </TaskForm>
  );
}
