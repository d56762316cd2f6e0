import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { putContact, removeContact, removeContacts } from '../../../domain/contacts/change-contact.ts';
import type { ContactFilter, ContactOrder, ListedContact } from '../../../domain/contacts/contact-store.ts';
import { computeVersion } from '../../../domain/contacts/difference.ts';
import { fitsContact, importContacts } from '../../../domain/contacts/import-contacts.ts';
import {
  countContacts,
  findContact,
  findContacts,
  findOwnAddresses,
  listContactGroups,
  listContacts,
} from '../../../domain/contacts/read-contacts.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { replyWithCsv } from '../../../http/shared/csv.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { SelectionPage, type SelectionTask, selectionTitle } from '../sent/selection-page.tsx';
import type { AppContext, AppRequest, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { readListPage } from '../shared/list-page.ts';
import { toHref } from '../shared/list-props.ts';
import { readQueryFields, readQueryValue, toListProps } from '../shared/list-visit.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import type { ContactProblem, MailLanguages } from './contact-fields.tsx';
import { readContactForm, splitGroups, toContactInput } from './contact-form.ts';
import { contactImportRoutes, returnToContacts } from './contact-import-routes.tsx';
import { ContactsPage, contactsTitle } from './contact-list-page.tsx';
import { ContactsNotice, type ContactsNoticeName } from './contacts-notice.tsx';
import { NewContactPage, type NewContactPageProps, newContactTitle } from './new-contact-page.tsx';
import { type OpenContact, toContactHref } from './open-contact.tsx';

const path = '/:user/contacts';
/** More groups than a person chooses among in a list. */
const maxGroups = 200;

export const contactRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'reader', handle: openList },
  { method: 'GET', path: '/:user/contacts.csv', access: 'reader', handle: exportContacts },
  { method: 'GET', path: `${path}/new`, access: 'member', handle: (visit) => replyWithNewContact(visit, {}) },
  { method: 'POST', path, access: 'member', handle: (visit) => saveContact(visit, undefined) },
  ...contactImportRoutes,
  { method: 'POST', path: `${path}/send`, access: 'member', handle: (visit) => writeTo(visit, visit.base) },
  {
    method: 'POST',
    path: `${path}/ask`,
    access: 'member',
    handle: (visit) => writeTo(visit, `${visit.base}requests/new`),
  },
  { method: 'POST', path: `${path}/remove`, access: 'member', handle: removeSelected },
  { method: 'POST', path: `${path}/group`, access: 'member', handle: groupSelected },
  {
    method: 'POST',
    path: `${path}/:email`,
    access: 'member',
    async handle(visit) {
      return saveContact(visit, await findContact(visit.engines, visit.actor, readAddress(visit)));
    },
  },
  {
    method: 'POST',
    path: `${path}/:email/remove`,
    access: 'member',
    async handle(visit) {
      const { engines, actor, base, form, reply } = visit;
      const address = readAddress(visit);
      try {
        await removeContact(engines, actor, address, { ifVersion: [form.get('version') ?? ''] });
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.code !== 'precondition_failed') throw error;
        const contact = await findContact(engines, actor, address);
        return replyWithList(visit, { contact, problem: 'changed' });
      }
      return reply.redirect(
        toHref(`${base}contacts`, { ...readPlace(visit), notice: 'removed' satisfies ContactsNoticeName }),
        303,
      );
    },
  },
];

/** The address in the path. One that is none belongs to no contact. */
function readAddress({ request }: AppRequest): string {
  const { email } = request.params as { email: string };
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new ExchangeError('not_found');
  return email;
}

function readFilter(visit: AppRequest): ContactFilter {
  return { search: readQueryValue(visit, 'q') || undefined, group: readQueryValue(visit, 'group') || undefined };
}

/** The fields of the URL that lead back to the same page of the list. */
function readPlace(visit: AppRequest): Record<string, string> {
  const query = readQueryFields(visit);
  return Object.fromEntries(['q', 'group', 'sort', 'after', 'before'].map((name) => [name, query.get(name) ?? '']));
}

/** The contact whose row is drawn as a form, and the input that was refused. */
type Opened = Pick<OpenContact, 'contact' | 'input' | 'problem'> & { readonly isRemoving?: boolean };

/** Replies with the list, with the row of one contact as a form to change it (`?edit=`) or to remove it (`?remove=`). */
async function openList(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, canChange } = visit;
  const [edited, removed] = [readQueryValue(visit, 'edit'), readQueryValue(visit, 'remove')];
  const address = edited || removed;
  if (!canChange || address === '') return replyWithList(visit);
  const [contact] = await findContacts(engines, actor.accountId, [address]);
  return replyWithList(visit, contact && { contact, isRemoving: edited === '' && contact.list === 'local' });
}

async function replyWithList(visit: MemberVisit, opened?: Opened): Promise<FastifyReply> {
  const { engines, actor, base, translator, reply } = visit;
  if (opened?.problem) reply.code(toStatus(opened.problem));
  const filter = readFilter(visit);
  const sort = /^-?(?:name|email)$/.exec(readQueryValue(visit, 'sort'))?.[0] ?? 'name';
  const by = sort.endsWith('name') ? 'name' : 'email';
  const isDescending = sort.startsWith('-');
  const fields = { q: filter.search ?? '', group: filter.group ?? '', sort: sort === 'name' ? '' : sort };
  const hrefTo = (more: Record<string, string>) => toHref(`${base}contacts`, { ...fields, ...more });
  const [page, groups, total] = await Promise.all([
    readPage(visit, fields, filter, { by, isDescending }),
    listContactGroups(engines, actor.accountId, maxGroups),
    countContacts(engines, actor.accountId, filter),
  ]);
  const toSort = (column: 'name' | 'email') =>
    ({
      href: hrefTo({ sort: column === by && !isDescending ? `-${column}` : column === 'name' ? '' : column }),
      direction: column === by ? (isDescending ? 'descending' : 'ascending') : undefined,
    }) as const;
  return replyWithScreen(visit, {
    screen: 'contacts',
    title: contactsTitle(translator),
    toasts: <ContactsNotice name={readQueryValue(visit, 'notice')} />,
    page: (
      <ContactsPage
        {...toListProps(visit)}
        contacts={opened ? includeOpened(page.rows, opened.contact) : page.rows}
        query={filter.search ?? ''}
        group={filter.group}
        groups={groups}
        total={total}
        sorts={{ name: toSort('name'), email: toSort('email') }}
        pages={page.pages}
        selectsAll={readQueryValue(visit, 'select') === 'all'}
        place={readPlace(visit)}
        open={
          opened && {
            isRemoving: false,
            ...opened,
            version: computeVersion(opened.contact),
            languages: listLanguages(visit, opened.contact.language),
          }
        }
      />
    ),
  });
}

/** A contact that has changed meanwhile may be on another page; its form comes first then. */
function includeOpened(rows: readonly ListedContact[], opened: ListedContact): readonly ListedContact[] {
  return rows.some(({ email }) => email === opened.email) ? rows : [opened, ...rows];
}

/** The languages of mails, and that of the contact, which a program may have chosen. */
function listLanguages({ options }: AppContext, language: string): MailLanguages {
  const known = options.translator.languages;
  const isKnown = language === '' || known.some((one) => one.language === language);
  return isKnown ? known : [...known, { language, name: language }];
}

/** Read backwards, a page is turned round. */
async function readPage(
  visit: MemberVisit,
  fields: Readonly<Record<string, string>>,
  filter: ContactFilter,
  { by, isDescending = false }: ContactOrder,
) {
  const { engines, actor, base } = visit;
  const { from, count, cut } = readListPage<Pick<ListedContact, 'name' | 'email'>>(
    visit,
    `${base}contacts`,
    fields,
    ({ name, email }) => ({ name, email }),
  );
  const isBackwards = from !== undefined && 'before' in from;
  const after = from && ('before' in from ? from.before : from.after);
  const order = { by, isDescending: isDescending !== isBackwards, after };
  const rows = await listContacts(engines, actor.accountId, filter, order, count);
  return cut(isBackwards ? rows.toReversed() : rows);
}

/** With the names of columns that every import of contacts understands. */
async function exportContacts(visit: MemberVisit): Promise<FastifyReply> {
  return replyWithCsv(visit.reply, 'contacts.csv', listRows(visit, readFilter(visit)));
}

async function* listRows(
  { engines, actor }: AppContext & Member,
  filter: ContactFilter,
): AsyncGenerator<readonly string[]> {
  yield ['email', 'name', 'phone', 'language', 'groups'];
  let after: ListedContact | undefined;
  do {
    const order = { by: 'email', after } as const;
    const rows = await listContacts(engines, actor.accountId, filter, order, limits.pageSize);
    for (const { email, name, phone, language, groups } of rows)
      yield [email, name, phone, language, groups.join('; ')];
    after = rows.length < limits.pageSize ? undefined : rows.at(-1);
  } while (after);
}

async function replyWithNewContact(
  visit: MemberVisit,
  refused: Pick<NewContactPageProps, 'input' | 'problem'>,
): Promise<FastifyReply> {
  const { engines, actor, translator, reply } = visit;
  if (refused.problem) reply.code(toStatus(refused.problem));
  const groups = await listContactGroups(engines, actor.accountId, maxGroups);
  return replyWithScreen(visit, {
    screen: 'contacts',
    title: newContactTitle(translator),
    page: (
      <NewContactPage
        {...toListProps(visit)}
        {...refused}
        groupNames={groups.map(({ name }) => name)}
        languages={listLanguages(visit, '')}
      />
    ),
  });
}

/** Adds a contact, or changes this one. */
async function saveContact(visit: MemberVisit, contact: ListedContact | undefined): Promise<FastifyReply> {
  const { engines, actor, base, form, reply } = visit;
  const fields = { ...readContactForm(form), ...(contact ? { email: contact.email } : {}) };
  // A program may have used names of groups that the form cannot write.
  const keepsGroups = contact !== undefined && fields.groups === oneLine(contact.groups.join(', ')).trim();
  const input = { ...toContactInput(fields), ...(keepsGroups && { groups: contact.groups }) };
  const refuse = async (problem: ContactProblem) => {
    const [current] = contact ? await findContacts(engines, actor.accountId, [contact.email]) : [];
    const refused = { input: fields, problem };
    return current ? replyWithList(visit, { ...refused, contact: current }) : replyWithNewContact(visit, refused);
  };
  if (!fitsContact(input)) return refuse('groups');
  try {
    const condition = contact ? { ifVersion: [form.get('version') ?? ''] } : { ifVersion: undefined, ifExists: false };
    await putContact(engines, actor, input, condition);
  } catch (error) {
    return refuse(toProblem(error, contact !== undefined));
  }
  if (!contact) return returnToContacts(visit, 'created');
  const listFields = { ...readPlace(visit), notice: 'saved' satisfies ContactsNoticeName };
  return reply.redirect(toContactHref(`${base}contacts`, listFields, contact.email), 303);
}

function toStatus(problem: ContactProblem): 400 | 409 {
  return problem === 'changed' || problem === 'known' ? 409 : 400;
}

function toProblem(error: unknown, isKnown: boolean): ContactProblem {
  if (!(error instanceof ExchangeError)) throw error;
  if (error.code === 'precondition_failed') return isKnown ? 'changed' : 'known';
  if (error.code !== 'invalid_input') throw error;
  const [fault] = error.faults;
  if (!fault) return 'full';
  if (fault.field !== 'email' && fault.field !== 'phone') throw error;
  return fault.field;
}

/** The addresses of the contacts whose boxes are checked: no more than a page has. */
function readSelection({ form }: AppRequest): string[] {
  return form.getAll('email').slice(0, limits.pageSize);
}

/** Leads to a form that is addressed to the selected contacts. */
async function writeTo(visit: MemberVisit, href: string): Promise<FastifyReply> {
  const { engines, actor, reply } = visit;
  const found = await findContacts(engines, actor.accountId, readSelection(visit));
  if (found.length === 0) return returnToContacts(visit, 'nobody');
  return reply.redirect(toHref(href, { to: found.map(({ email }) => email).join(',') }), 303);
}

async function removeSelected(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, form } = visit;
  if (form.get('confirmed') !== '1') {
    return confirmSelection(visit, async (globalCount) => ({ list: 'contacts', what: 'remove', globalCount }));
  }
  await removeContacts(engines, actor, readSelection(visit));
  return returnToContacts(visit, 'removedSome');
}

async function groupSelected(visit: MemberVisit): Promise<FastifyReply> {
  const { engines, actor, form } = visit;
  const addedGroups = splitGroups(form.get('group') ?? '');
  const isConfirmed = form.get('confirmed') === '1' && addedGroups.length > 0;
  const own = await findOwnAddresses(engines, actor.accountId, readSelection(visit));
  const inputs = own.map((email) => ({ email, addedGroups }));
  if (!isConfirmed || !inputs.every(fitsContact)) {
    return confirmSelection(
      visit,
      async (globalCount) => {
        const groups = await listContactGroups(engines, actor.accountId, maxGroups);
        return { list: 'contacts', what: 'group', globalCount, groups: groups.map(({ name }) => name) };
      },
      isConfirmed ? visit.translator.t('contacts.problem.groups') : undefined,
    );
  }
  await importContacts(engines, actor, inputs, 'contacts.grouped');
  return returnToContacts(visit, 'grouped');
}

/** Asks before the selected contacts are changed. The administrator's stay as they are. */
async function confirmSelection(
  visit: MemberVisit,
  toTask: (globalCount: number) => Promise<SelectionTask>,
  problem?: string,
): Promise<FastifyReply> {
  const { engines, actor, translator } = visit;
  const found = await findContacts(engines, actor.accountId, readSelection(visit));
  const own = found.filter(({ list }) => list === 'local');
  if (own.length === 0) return returnToContacts(visit, found.length === 0 ? 'nobody' : 'globalOnly');
  const rows = own.map(({ email, name }) => ({ value: email, name: name === '' ? email : `${name} · ${email}` }));
  const task = await toTask(found.length - own.length);
  return replyWithScreen(visit, {
    screen: 'contacts',
    title: selectionTitle(translator, { task, rows }),
    page: <SelectionPage {...toListProps(visit)} task={task} rows={rows} problem={problem} />,
  });
}
