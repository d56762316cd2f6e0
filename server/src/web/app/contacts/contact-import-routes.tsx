import { limits } from '@waybill/protocol';
import type { FastifyReply } from 'fastify';
import { importContacts, type ReviewedContact, reviewImport } from '../../../domain/contacts/import-contacts.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { Part } from '../../../http/transfer/multipart.ts';
import type { AppRequest, AppRoute, Member, MemberVisit } from '../shared/app-route.ts';
import { toListProps } from '../shared/list-visit.ts';
import { replyWithScreen } from '../shared/reply-with-screen.tsx';
import {
  type ContactFile,
  type ContactMapping,
  contactColumns,
  decodeText,
  mostColumns,
  readContactFile,
  toContactInputs,
} from './contact-file.ts';
import {
  ContactImportPage,
  type ContactImportPageProps,
  contactImportTitle,
  describeChoice,
  type ImportPreview,
} from './contact-import-page.tsx';
import type { ContactsNoticeName } from './contacts-notice.tsx';

const path = '/:user/contacts/import';
/** Rows of the preview that would be refused, and others. */
const shownRows = 100;
/** Of a cell. It may have as much as the file. */
const shownLength = limits.nameLength;
const fieldBytes = 4 * limits.nameLength;
const results: ReadonlySet<string> = new Set(['created', 'changed', 'unchanged']);

/**
 * A file is shown as it was understood before anything is saved. Until then it is kept in the form of the page and not on
 * the server, so that nothing remains of an import that nobody confirms.
 */
export const contactImportRoutes: readonly AppRoute[] = [
  { method: 'GET', path, access: 'member', handle: (visit) => replyWithImport(visit, {}) },
  {
    method: 'POST',
    path: `${path}/preview`,
    access: 'member',
    body: 'multipart',
    handle: (visit) => withImport(visit, (found) => replyWithPreview(visit, found)),
  },
  {
    method: 'POST',
    path,
    access: 'member',
    body: 'multipart',
    handle: (visit) =>
      withImport(visit, async (found) => {
        if (found.shown !== describeChoice(found)) return replyWithPreview(visit, found);
        const valid = found.contacts.filter(({ result }) => results.has(result));
        await importContacts(
          visit.engines,
          visit.actor,
          valid.map(({ input }) => input),
        );
        return returnToContacts(visit, 'imported');
      }),
  },
];

type FileProblem = Pick<ContactImportPageProps, 'problem' | 'problemLine'>;

/** A file that was understood, with the choices of the form and what its import would do. */
interface FoundImport {
  readonly file: ContactFile;
  readonly fileName: string;
  readonly text: string;
  readonly mapping: ContactMapping;
  readonly group: string;
  /** The choices that the person has seen the preview of. */
  readonly shown: string | undefined;
  readonly contacts: readonly ReviewedContact[];
}

async function withImport(
  visit: MemberVisit,
  proceed: (found: FoundImport) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const read = await readImport(visit);
  if ('problem' in read) return replyWithImport(visit, read);
  try {
    const inputs = await toContactInputs(read.file, read.mapping, read.group);
    const contacts = await reviewImport(visit.engines, visit.actor, inputs);
    return await proceed({ ...read, contacts });
  } catch (error) {
    // Each contact was looked at, so it is about all of them: there is no room.
    if (!(error instanceof ExchangeError) || error.code !== 'invalid_input') throw error;
    return replyWithImport(visit, { problem: 'tooMany' });
  }
}

async function readImport({
  readParts,
  ended,
}: AppRequest & Member): Promise<Omit<FoundImport, 'contacts'> | (FileProblem & { problem: string })> {
  const fields = new Map<string, string>();
  let bytes: Buffer | undefined;
  let fileName: string | undefined;
  for await (const part of readParts(ended)) {
    const isFile = part.name === 'file' || part.name === 'text';
    const read = await readPart(part, isFile ? limits.jsonBytes : fieldBytes);
    if (isFile) {
      if (read === undefined) return { problem: 'tooLarge' };
      bytes = read;
      fileName = part.fileName;
    } else if (read) {
      // No browser sends a NUL, and the database stores none.
      fields.set(part.name, read.toString('utf8').replaceAll('\0', ''));
    }
  }
  if (!bytes || bytes.length === 0) return { problem: 'none' };
  const text = decodeText(bytes);
  if (text === undefined) return { problem: 'unreadable' };
  const file = await readContactFile(text);
  if ('fault' in file) return { problem: file.fault, ...('line' in file ? { problemLine: file.line } : {}) };
  return {
    file,
    text,
    fileName: fileName ?? fields.get('file-name') ?? '',
    mapping: readMapping(fields, file),
    group: (fields.get('group') ?? '').trim(),
    shown: fields.get('shown'),
  };
}

/** Undefined if it is larger. It is read to its end, because a browser does not look at a response before that. */
async function readPart({ bytes }: Part, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of bytes) {
    length += piece.length;
    // The piece is freed when the next one is read.
    if (length <= maxBytes) pieces.push(Buffer.from(piece));
  }
  return length > maxBytes ? undefined : Buffer.concat(pieces);
}

/** The columns that the person chose, or those that were recognised. */
function readMapping(fields: ReadonlyMap<string, string>, { columns, mapping }: ContactFile): ContactMapping {
  if (!fields.has('column-email')) return mapping;
  const chosen = contactColumns.flatMap((column) => {
    const value = fields.get(`column-${column}`) ?? '';
    const index = /^\d{1,5}$/.test(value) ? Number(value) : -1;
    return index >= 0 && index < columns.length ? [[column, index] as const] : [];
  });
  return Object.fromEntries(chosen);
}

function replyWithPreview(visit: MemberVisit, { file, contacts, ...found }: FoundImport): Promise<FastifyReply> {
  const count = (wanted: string) => contacts.filter(({ result }) => result === wanted).length;
  const [created, changed, unchanged] = [count('created'), count('changed'), count('unchanged')];
  const rows = contacts.map(({ input, result }, index) => ({
    row: file.rows[index]?.line ?? 0,
    name: (input.name ?? '').slice(0, shownLength),
    email: input.email.slice(0, limits.emailLength),
    result,
  }));
  const [refused, others] = [
    rows.filter(({ result }) => !results.has(result)),
    rows.filter(({ result }) => results.has(result)),
  ];
  const shown = [...refused.slice(0, shownRows), ...others.slice(0, shownRows)];
  const preview: ImportPreview = {
    fileName: found.fileName,
    text: found.text,
    mapping: found.mapping,
    group: found.group,
    columns: file.columns.map((name) => name.slice(0, shownLength)),
    rowCount: rows.length,
    counts: { created, changed, unchanged, refused: refused.length },
    rows: shown.toSorted((one, other) => one.row - other.row),
  };
  return replyWithImport(visit, { preview });
}

function replyWithImport(
  visit: MemberVisit,
  shown: FileProblem & Pick<ContactImportPageProps, 'preview'>,
): Promise<FastifyReply> {
  if (shown.problem) visit.reply.code(400);
  return replyWithScreen(visit, {
    screen: 'contacts',
    title: contactImportTitle(visit.translator, shown),
    page: (
      <ContactImportPage
        {...toListProps(visit)}
        {...shown}
        maxContacts={limits.contactsPerAccount}
        maxColumns={mostColumns}
        maxBytes={limits.jsonBytes}
      />
    ),
  });
}

export function returnToContacts({ reply, base }: AppRequest & Member, notice: ContactsNoticeName): FastifyReply {
  return reply.redirect(`${base}contacts?notice=${notice}`, 303);
}
