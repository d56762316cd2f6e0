import type { JSX } from 'preact';
import type { ListedContact } from '../../../domain/contacts/contact-store.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Field, Select } from '../../shared/components/field.tsx';

const problems = {
  email: 'delivery.problem.email',
  known: 'contacts.problem.known',
  phone: 'contacts.problem.phone',
  groups: 'contacts.problem.groups',
  full: 'contacts.problem.full',
  changed: 'contacts.problem.changed',
} as const;

export type ContactProblem = keyof typeof problems;

/** The fields of a contact as a person enters them. */
export type ContactEntry = Omit<ListedContact, 'groups' | 'list'> & { readonly groups: string };

/** The languages of mails, each with its own name for itself. */
export type MailLanguages = readonly { readonly language: string; readonly name: string }[];

export interface ContactFieldsProps {
  /** Undefined: a new one, whose address is entered as well. */
  readonly contact?: ListedContact | undefined;
  /** Input that was refused. */
  readonly input?: ContactEntry | undefined;
  readonly problem?: ContactProblem | undefined;
  readonly languages: MailLanguages;
  /** The account's groups, as suggestions. */
  readonly groupNames: readonly string[];
  /** Names the fields together, for screen readers. */
  readonly legend: string;
}

/** The fields of a contact. The first one, or the one that was refused, has the focus. */
export function ContactFields(props: ContactFieldsProps): JSX.Element {
  const translator = useTranslator();
  const { contact, problem, input, groupNames } = props;
  const text = problem && translator.t(problems[problem]);
  const at = (...of: readonly ContactProblem[]) => (problem && of.includes(problem) ? text : undefined);
  const phone = contact?.phone ? `+${contact.phone}` : '';
  const entered = input ?? { ...contact, phone, groups: (contact?.groups ?? []).join(', ') };
  const value = (name: 'email' | 'name' | 'phone' | 'groups') => oneLine(entered[name] ?? '');
  const isListed = !entered.language || props.languages.some(({ language }) => language === entered.language);
  const focused = problem === 'phone' || problem === 'groups' ? problem : contact ? 'name' : 'email';
  return (
    <>
      {at('full', 'changed') && <Banner tone="bad">{at('full', 'changed')}</Banner>}
      <fieldset class="field-grid">
        <legend class="unseen">{props.legend}</legend>
        {!contact && (
          <Field
            id="email"
            type="email"
            name="email"
            label={translator.t('contacts.email')}
            value={value('email')}
            required
            maxLength={254}
            autocomplete="off"
            autofocus={focused === 'email'}
            problem={at('email', 'known')}
          />
        )}
        <Field
          id="name"
          name="name"
          label={translator.t('contacts.name')}
          value={value('name')}
          maxLength={200}
          autocomplete="off"
          autofocus={focused === 'name'}
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
          autofocus={focused === 'phone'}
          problem={at('phone')}
        />
        <Select
          id="language"
          name="language"
          label={translator.t('contacts.language')}
          hint={translator.t('contacts.languageHint')}
        >
          <option value="">{translator.t('contacts.languageAny')}</option>
          {!isListed && (
            <option value={entered.language} selected>
              {entered.language}
            </option>
          )}
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
            groupNames.length === 0
              ? translator.t('contacts.groupsHint')
              : translator.t('contacts.groupsKnown', { groups: groupNames.slice(0, 8).map(oneLine).join(', ') })
          }
          value={value('groups')}
          maxLength={2000}
          autocomplete="off"
          autofocus={focused === 'groups'}
          problem={at('groups')}
        />
      </fieldset>
    </>
  );
}
