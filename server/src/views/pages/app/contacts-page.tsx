import type { JSX } from 'preact';
import { Avatar } from '../../components/avatar.tsx';
import { Button, ButtonLink, IconLink } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar, Segments } from '../../components/filter-bar.tsx';
import { formatPhone } from '../../components/format-phone.ts';
import { ListForm } from '../../components/list-form.tsx';
import { type ListColumn, ListTable, type Sort } from '../../components/list-table.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager, type Pages } from '../../components/pager.tsx';
import { namePerson } from '../../components/person.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { SelectionBar } from '../../components/selection-bar.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { oneLine } from '../../plain.ts';
import { type ListProps, toHref } from './list-props.ts';

/** A contact, the account's own or the administrator's. A text that is not known is empty. */
export interface ListedContact {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly language: string;
  readonly groups: readonly string[];
  readonly list: 'local' | 'global';
}

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
                <span class="desktop-text">{translator.t('contacts.import')}</span>
              </ButtonLink>
            )}
            {!isEmpty && (
              <ButtonLink look="plain" icon="download" href={toHref(`${base}contacts.csv`, { q: query, group })}>
                <span class="desktop-text">{translator.t('list.export')}</span>
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
            <div id="contacts" data-live="contact.">
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
  const { base, contacts, canChange, selectsAll, total } = props;
  const path = `${base}contacts`;
  const fields = { q: props.query, group: props.group };
  const columns: ListColumn<ListedContact>[] = [
    {
      name: 'name',
      label: translator.t('contacts.name'),
      sort: props.sorts?.name,
      cell: (contact) => (
        <span class="cut-line">
          <Avatar name={namePerson(contact)} small />
          <a
            class="row-link"
            dir="auto"
            href={`${path}/${encodeURIComponent(contact.email)}`}
            title={namePerson(contact)}
          >
            {namePerson(contact)}
          </a>
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
    cell: (contact) => <ContactActions contact={contact} base={base} />,
  };
  const table = (
    <div class="panel">
      <ListTable
        caption={contactsTitle(translator)}
        look="contacts"
        columns={canChange ? [...columns, actions] : columns}
        rows={contacts}
        rowKey={({ email }) => email}
        selection={
          canChange
            ? {
                field: 'email',
                value: ({ email }) => email,
                label: (contact) => translator.t('list.select', { name: namePerson(contact) }),
                all: selectsAll,
                allHref: toHref(path, { ...fields, select: selectsAll ? '' : 'all' }),
              }
            : undefined
        }
      />
    </div>
  );
  return (
    <>
      {canChange ? (
        <ListForm csrf={props.csrf} label={contactsTitle(translator)}>
          {table}
          <SelectionBar noneHref={selectsAll ? toHref(path, fields) : undefined}>
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

function ContactActions({ contact, base }: { contact: ListedContact; base: string }): JSX.Element {
  const translator = useTranslator();
  const name = namePerson(contact);
  const href = `${base}contacts/${encodeURIComponent(contact.email)}`;
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
          { label: translator.t(isOwn ? 'contacts.edit' : 'contacts.copy'), icon: 'pencil', href },
          ...(isOwn
            ? [
                {
                  label: translator.t('contacts.remove'),
                  icon: 'trash',
                  href: `${href}?do=remove#do`,
                  danger: true,
                } as const,
              ]
            : []),
        ]}
      />
    </span>
  );
}
