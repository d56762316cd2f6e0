import type { JSX } from 'preact';
import type { ListedContact } from '../../../domain/contacts/contact-store.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button, ButtonLink, IconLink } from '../../shared/components/button.tsx';
import { Avatar } from '../components/avatar.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FilterBar, Segments } from '../components/filter-bar.tsx';
import { ListForm } from '../components/list-form.tsx';
import { type ListColumn, ListTable, type Sort } from '../components/list-table.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Pager, type Pages } from '../components/pager.tsx';
import { namePerson } from '../components/person.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { SelectionBar } from '../components/selection-bar.tsx';
import { type ListProps, toHref } from '../shared/list-props.ts';
import { formatPhone } from './format-phone.ts';
import { type OpenContact, OpenContactForm, toContactId } from './open-contact.tsx';

export interface ContactGroup {
  readonly name: string;
  readonly count?: number | undefined;
}

export interface ContactsPageProps extends ListProps {
  readonly contacts: readonly ListedContact[];
  readonly query: string;
  /** The group that is shown; undefined: everyone. */
  readonly group?: string | undefined;
  readonly groups: readonly ContactGroup[];
  readonly total?: number | undefined;
  readonly sorts?: Partial<Readonly<Record<'name' | 'email', Sort>>> | undefined;
  readonly pages: Pages;
  readonly selectsAll: boolean;
  /** The fields of the URL that lead back to the same page of the list. */
  readonly place: Readonly<Record<string, string>>;
  readonly open?: OpenContact | undefined;
}

/** More groups than this are in a list to choose from. */
const shownGroups = 4;
/** More groups of a contact than this are counted. */
const shownTags = 2;

export function contactsTitle(translator: ViewTranslator): string {
  return translator.t('frame.contacts');
}

export function ContactsPage(props: ContactsPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, query, group, groups, contacts, canChange } = props;
  const path = `${base}contacts`;
  const isEmpty = contacts.length === 0 && query === '' && group === undefined;
  const fits = groups.length <= shownGroups;
  return (
    <>
      <PageHead
        title={contactsTitle(translator)}
        actions={
          <>
            {canChange && (
              <ButtonLink look="plain" icon="upload" href={`${path}/import`}>
                {translator.t('contacts.import')}
              </ButtonLink>
            )}
            {!isEmpty && (
              <ButtonLink look="plain" icon="download" href={toHref(`${base}contacts.csv`, { q: query, group })}>
                {translator.t('list.export')}
              </ButtonLink>
            )}
            {canChange && (
              <ButtonLink icon="plus" class="button-tint" href={`${path}/new`}>
                {translator.t('contacts.new')}
              </ButtonLink>
            )}
          </>
        }
      />
      {isEmpty ? (
        <EmptyState
          icon="people"
          title={translator.t('contacts.empty')}
          action={
            canChange ? (
              <ButtonLink icon="plus" href={`${path}/new`}>
                {translator.t('contacts.new')}
              </ButtonLink>
            ) : undefined
          }
        >
          {translator.t('contacts.emptyText')}
        </EmptyState>
      ) : (
        <>
          <FilterBar
            action={path}
            label={translator.t('contacts.search')}
            hint={translator.t('contacts.searchHint')}
            query={query}
            kept={fits && group !== undefined ? { group } : {}}
            choices={
              fits
                ? []
                : [
                    {
                      name: 'group',
                      label: translator.t('contacts.group'),
                      value: group ?? '',
                      options: [
                        ['', translator.t('contacts.everyone')],
                        ...groups.map(({ name }) => [name, oneLine(name)] as const),
                      ],
                    },
                  ]
            }
          >
            {fits && groups.length > 0 && (
              <Segments
                label={translator.t('contacts.groups')}
                segments={[
                  {
                    label: translator.t('contacts.everyone'),
                    href: toHref(path, { q: query }),
                    current: group === undefined,
                    count: group === undefined && query === '' ? props.total : undefined,
                  },
                  ...groups.map(({ name, count }) => ({
                    label: oneLine(name),
                    href: toHref(path, { group: name, q: query }),
                    current: name === group,
                    count,
                  })),
                ]}
              />
            )}
          </FilterBar>
          {contacts.length === 0 ? (
            <EmptyState
              icon="search"
              title={
                query === ''
                  ? translator.t('list.nothingHere')
                  : translator.t('list.noMatch', { query: oneLine(query) })
              }
              action={<ButtonLink href={path}>{translator.t('list.showAll')}</ButtonLink>}
            >
              {translator.t('contacts.noMatchText')}
            </EmptyState>
          ) : (
            <div id="contacts" data-live={props.open ? undefined : 'contact.'}>
              <ContactsTable {...props} />
            </div>
          )}
        </>
      )}
    </>
  );
}

function ContactsTable(props: ContactsPageProps): JSX.Element {
  const translator = useTranslator();
  const { base, contacts, canChange, selectsAll, total, place, open } = props;
  const path = `${base}contacts`;
  // A form within a form is not possible.
  const canSelect = canChange && !open;
  const columns: ListColumn<ListedContact>[] = [
    {
      name: 'name',
      label: translator.t('contacts.name'),
      sort: props.sorts?.name,
      cell: (contact) => (
        <span class="cut-line">
          <Avatar name={namePerson(contact)} small />
          {canChange ? (
            <a
              class="row-link"
              id={toContactId(contact.email)}
              dir="auto"
              href={toHref(path, { ...place, edit: contact.email })}
              title={namePerson(contact)}
            >
              {namePerson(contact)}
            </a>
          ) : (
            <bdi class="cut" title={namePerson(contact)}>
              {namePerson(contact)}
            </bdi>
          )}
        </span>
      ),
    },
    {
      name: 'email',
      label: translator.t('contacts.email'),
      sort: props.sorts?.email,
      cell: ({ email }) => (
        <bdi class="cut" title={email}>
          {email}
        </bdi>
      ),
    },
    { name: 'groups', label: translator.t('contacts.groups'), cell: (contact) => <Groups contact={contact} /> },
    {
      name: 'phone',
      label: translator.t('contacts.phoneColumn'),
      cell: ({ phone }) => (phone === '' ? <span class="quiet">–</span> : <span dir="ltr">{formatPhone(phone)}</span>),
    },
  ];
  const actions: ListColumn<ListedContact> = {
    name: 'actions',
    label: translator.t('list.actions'),
    unlabelled: true,
    cell: (contact) => <ContactActions contact={contact} base={base} place={place} />,
  };
  const table = (
    <div class="panel">
      <ListTable
        caption={contactsTitle(translator)}
        look="contacts"
        columns={canChange ? [...columns, actions] : columns}
        rows={contacts}
        rowKey={({ email }) => email}
        openRow={
          open && {
            key: open.contact.email,
            content: (
              <OpenContactForm
                {...open}
                path={path}
                place={place}
                csrf={props.csrf}
                groupNames={props.groups.map(({ name }) => name)}
              />
            ),
          }
        }
        selection={
          canSelect
            ? {
                field: 'email',
                value: ({ email }) => email,
                label: (contact) => translator.t('list.select', { name: namePerson(contact) }),
                all: selectsAll,
                allHref: toHref(path, { ...place, select: selectsAll ? '' : 'all' }),
              }
            : undefined
        }
      />
    </div>
  );
  return (
    <>
      {canSelect ? (
        <ListForm csrf={props.csrf} label={contactsTitle(translator)}>
          {table}
          <SelectionBar noneHref={selectsAll ? toHref(path, place) : undefined}>
            <Button look="plain" icon="send" formAction={`${path}/send`}>
              {translator.t('sentList.send')}
            </Button>
            <Button look="plain" icon="request" formAction={`${path}/ask`}>
              {translator.t('requests.ask')}
            </Button>
            <Button look="plain" icon="people" formAction={`${path}/group`}>
              {translator.t('contacts.addToGroup')}
            </Button>
            <Button look="plain" icon="trash" class="button-bad" formAction={`${path}/remove`}>
              {translator.t('contacts.removeSome')}
            </Button>
          </SelectionBar>
        </ListForm>
      ) : (
        table
      )}
      <Pager
        pages={props.pages}
        order="name"
        about={total === undefined ? undefined : translator.t('contacts.total', { count: total })}
      />
    </>
  );
}

function Groups({ contact: { groups, list } }: { contact: ListedContact }): JSX.Element {
  const translator = useTranslator();
  const shown = list === 'global' ? 1 : shownTags;
  const more = groups.length - shown;
  return (
    <span class="tags">
      {list === 'global' && <span class="tag tone-calm">{translator.t('contacts.global')}</span>}
      {groups.slice(0, shown).map((group) => (
        <bdi key={group} class="tag tone-quiet" title={oneLine(group)}>
          {oneLine(group)}
        </bdi>
      ))}
      {more > 0 && (
        <span class="quiet" title={groups.slice(shown).map(oneLine).join(', ')}>
          +{translator.formatNumber(more)}
        </span>
      )}
    </span>
  );
}

function ContactActions({
  contact,
  base,
  place,
}: Pick<ContactsPageProps, 'base' | 'place'> & { contact: ListedContact }): JSX.Element {
  const translator = useTranslator();
  const name = namePerson(contact);
  const path = `${base}contacts`;
  const label = (text: string) => translator.t('common.labelled', { label: text, value: name });
  const isOwn = contact.list === 'local';
  return (
    <span class="row-actions">
      <IconLink
        icon="send"
        class="on-desktop"
        href={toHref(base, { to: contact.email })}
        label={label(translator.t('sentList.send'))}
        title={translator.t('sentList.send')}
      />
      <RowMenu
        id={`menu-${contact.email.replace(/[^\w-]/g, '_')}`}
        label={label(translator.t('list.more'))}
        actions={[
          { label: translator.t('sentList.send'), icon: 'send', href: toHref(base, { to: contact.email }) },
          {
            label: translator.t('requests.ask'),
            icon: 'request',
            href: toHref(`${base}requests/new`, { to: contact.email }),
          },
          {
            label: translator.t(isOwn ? 'contacts.edit' : 'contacts.copy'),
            icon: 'pencil',
            href: toHref(path, { ...place, edit: contact.email }),
          },
          ...(isOwn
            ? [
                {
                  label: translator.t('contacts.remove'),
                  icon: 'trash',
                  href: `${toHref(path, { ...place, remove: contact.email })}#do`,
                  danger: true,
                } as const,
              ]
            : []),
        ]}
      />
    </span>
  );
}
