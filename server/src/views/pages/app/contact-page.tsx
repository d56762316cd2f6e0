import type { JSX } from 'preact';
import { Banner } from '../../components/banner.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Crumbs } from '../../components/crumbs.tsx';
import { CsrfField } from '../../components/csrf-field.tsx';
import { Field, Select } from '../../components/field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { namePerson } from '../../components/person.tsx';
import { TaskForm } from '../../components/task-form.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { isolate, oneLine } from '../../plain.ts';
import type { ListedContact } from './contacts-page.tsx';
import type { ListProps } from './list-props.ts';

const problems = {
  email: 'delivery.problem.email',
  known: 'contacts.problem.known',
  phone: 'contacts.problem.phone',
  groups: 'contacts.problem.groups',
  full: 'contacts.problem.full',
  changed: 'contacts.problem.changed',
} as const;

export type ContactProblem = keyof typeof problems;

export interface ContactPageProps extends ListProps {
  /** Undefined: a new one. */
  readonly contact?: ListedContact | undefined;
  /** The version that the form was made from; it is refused if the contact has changed since. */
  readonly version?: string | undefined;
  /** Input that was refused. */
  readonly input?: (Omit<ListedContact, 'groups' | 'list'> & { readonly groups: string }) | undefined;
  readonly problem?: ContactProblem | undefined;
  /** The account's groups, as suggestions. */
  readonly groups: readonly string[];
  /** The languages of mails, each with its own name for itself. */
  readonly languages: readonly { readonly language: string; readonly name: string }[];
  /** Whether the form to remove it is open (`?do=remove`). */
  readonly isRemoving?: boolean | undefined;
}

export function contactTitle(translator: ViewTranslator, { contact }: Pick<ContactPageProps, 'contact'>): string {
  return contact ? namePerson(contact) : translator.t('contacts.new');
}

/** The form for one contact. A global contact can be copied into the account's own, but not changed. */
export function ContactPage(props: ContactPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, csrf, contact, problem, canChange, input } = props;
  const list = `${base}contacts`;
  const path = contact ? `${list}/${encodeURIComponent(contact.email)}` : list;
  const isGlobal = contact?.list === 'global';
  const text = problem && translator.t(problems[problem]);
  const at = (...of: readonly ContactProblem[]) => (problem && of.includes(problem) ? text : undefined);
  const phone = contact?.phone ? `+${contact.phone}` : '';
  const entered = input ?? { ...contact, phone, groups: (contact?.groups ?? []).join(', ') };
  const value = (name: 'email' | 'name' | 'phone' | 'groups') => oneLine(entered[name] ?? '');
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t('frame.contacts')} href={list}>
            {contact ? <bdi>{oneLine(contact.email)}</bdi> : translator.t('contacts.new')}
          </Crumbs>
        }
        title={<bdi>{contactTitle(translator, props)}</bdi>}
        actions={
          contact && contact.list === 'local' && canChange ? (
            <ButtonLink look="danger" icon="trash" href={`${path}?do=remove#do`}>
              {translator.t('contacts.remove')}
            </ButtonLink>
          ) : undefined
        }
      />
      {props.isRemoving && contact && <RemoveForm {...props} contact={contact} path={path} />}
      <form class="panel contact-form" method="post" action={path}>
        <div class="panel-body">
          <CsrfField csrf={csrf} />
          {props.version !== undefined && <input type="hidden" name="version" value={props.version} />}
          {isGlobal && <Banner tone="calm">{translator.t('contacts.globalText')}</Banner>}
          {at('full', 'changed') && <Banner tone="bad">{at('full', 'changed')}</Banner>}
          <fieldset class="field-grid" disabled={!canChange}>
            <legend class="unseen">{contactTitle(translator, props)}</legend>
            <Field
              id="email"
              type="email"
              name="email"
              label={translator.t('contacts.email')}
              value={value('email')}
              required
              readOnly={contact !== undefined}
              hint={contact && translator.t('contacts.emailFixed')}
              maxLength={254}
              autocomplete="off"
              problem={at('email', 'known')}
            />
            <Field
              id="name"
              name="name"
              label={translator.t('contacts.name')}
              value={value('name')}
              maxLength={200}
              autocomplete="off"
            />
            <Field
              id="phone"
              name="phone"
              inputMode="tel"
              label={translator.t('contacts.phone')}
              hint={translator.t('contacts.phoneHint')}
              value={value('phone')}
              maxLength={30}
              autocomplete="off"
              problem={at('phone')}
            />
            <Select
              id="language"
              name="language"
              label={translator.t('contacts.language')}
              hint={translator.t('contacts.languageHint')}
            >
              <option value="">{translator.t('contacts.languageAny')}</option>
              {props.languages.map(({ language, name }) => (
                <option key={language} value={language} lang={language} selected={language === entered.language}>
                  {name}
                </option>
              ))}
            </Select>
            <Field
              id="groups"
              name="groups"
              label={translator.t('contacts.groups')}
              hint={
                props.groups.length === 0
                  ? translator.t('contacts.groupsHint')
                  : translator.t('contacts.groupsKnown', { groups: props.groups.slice(0, 8).map(oneLine).join(', ') })
              }
              value={value('groups')}
              maxLength={2000}
              autocomplete="off"
              problem={at('groups')}
            />
          </fieldset>
          {canChange && (
            <div class="actions">
              <Button class="button-tint" icon="check">
                {translator.t(isGlobal ? 'contacts.saveCopy' : 'contacts.save')}
              </Button>
              <ButtonLink look="plain" href={list}>
                {translator.t('list.cancel')}
              </ButtonLink>
            </div>
          )}
        </div>
      </form>
    </>
  );
}

function RemoveForm(props: ContactPageProps & { contact: ListedContact; path: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <TaskForm
      title={translator.t('contacts.removeTitle', { name: isolate(namePerson(props.contact)) })}
      about={<p>{translator.t('contacts.removeAbout')}</p>}
      csrf={props.csrf}
      action={`${props.path}/remove`}
      fields={props.version === undefined ? {} : { version: props.version }}
      submit={translator.t('contacts.remove')}
      icon="trash"
      danger
      cancelHref={props.path}
      cancel={translator.t('contacts.keep')}
    />
  );
}
