import type { JSX } from 'preact';
import type { ListedContact } from '../../../domain/contacts/contact-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Avatar } from '../components/avatar.tsx';
import { namePerson } from '../components/person.tsx';
import { TaskForm } from '../components/task-form.tsx';
import { toHref } from '../shared/list-props.ts';
import { ContactFields, type ContactFieldsProps } from './contact-fields.tsx';

/** The contact whose row is a form: it is changed, or asked about before it is removed. */
export interface OpenContact extends Pick<ContactFieldsProps, 'input' | 'problem' | 'languages'> {
  readonly contact: ListedContact;
  /** The version that the form was made from; it is refused if the contact has changed since. */
  readonly version: string;
  readonly isRemoving: boolean;
}

interface OpenContactProps extends OpenContact {
  /** The path of the list. */
  readonly path: string;
  /** The fields of the URL that lead back to the same page of the list. */
  readonly place: Readonly<Record<string, string>>;
  readonly csrf: string;
  readonly groupNames: readonly string[];
}

/** The id of the link in a contact's row, which gets the focus when its form is closed. */
export function toContactId(email: string): string {
  return `contact-${email}`;
}

/** The list with the focus on a contact. */
export function toContactHref(path: string, fields: Readonly<Record<string, string>>, email: string): string {
  return `${toHref(path, fields)}#${encodeURIComponent(toContactId(email))}`;
}

export function OpenContactForm(props: OpenContactProps): JSX.Element {
  return props.isRemoving ? <RemoveForm {...props} /> : <EditForm {...props} />;
}

/** A global contact can be copied into the account's own, but not changed. */
function EditForm(props: OpenContactProps): JSX.Element {
  const translator = useTranslator();
  const { contact, path, place } = props;
  const isGlobal = contact.list === 'global';
  return (
    <form class="open-contact" method="post" action={toHref(`${path}/${encodeURIComponent(contact.email)}`, place)}>
      <CsrfField csrf={props.csrf} />
      <input type="hidden" name="version" value={props.version} />
      <div class="open-contact-head">
        <Avatar name={namePerson(contact)} small />
        <div>
          <bdi class="open-contact-address">{oneLine(contact.email)}</bdi>
          <p class="quiet small">{translator.t('contacts.emailFixed')}</p>
        </div>
      </div>
      {isGlobal && <Banner tone="calm">{translator.t('contacts.globalText')}</Banner>}
      <ContactFields {...props} legend={namePerson(contact)} />
      <div class="actions">
        <Button class="button-tint" icon="check">
          {translator.t(isGlobal ? 'contacts.saveCopy' : 'contacts.save')}
        </Button>
        <ButtonLink look="plain" href={toContactHref(path, place, contact.email)}>
          {translator.t('list.cancel')}
        </ButtonLink>
      </div>
    </form>
  );
}

function RemoveForm({ contact, path, place, csrf, version }: OpenContactProps): JSX.Element {
  const translator = useTranslator();
  return (
    <TaskForm
      title={translator.t('contacts.removeTitle', { name: isolate(namePerson(contact)) })}
      about={<p>{translator.t('contacts.removeAbout')}</p>}
      csrf={csrf}
      action={toHref(`${path}/${encodeURIComponent(contact.email)}/remove`, place)}
      fields={{ version }}
      submit={translator.t('contacts.remove')}
      icon="trash"
      danger
      cancelHref={toContactHref(path, place, contact.email)}
      cancel={translator.t('contacts.keep')}
    />
  );
}
