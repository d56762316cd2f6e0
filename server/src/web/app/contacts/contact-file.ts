import { type CsvRecord, limits, readCsv, restoreCell } from '@waybill/protocol';
import type { ContactInput } from '../../../domain/contacts/contact-input.ts';
import { inTurns } from '../../../domain/flow/in-turns.ts';
import { splitGroups, toPhone } from './contact-form.ts';

/** The columns that are understood, each by the names that it has in our languages, without accents and punctuation. */
const knownNames = {
  email: `email mail emailaddress emailadresse mailadresse emailadress mailadress epost epostadress mejl mejladress
    courriel mel adresseemail adressemail adressecourriel adresseelectronique correo correoelectronico
    direcciondecorreo direcciondecorreoelectronico email1value`,
  name: `name fullname displayname contact contactname anzeigename kontakt vollstandigername namn visningsnamn
    kontaktnamn nom nomcomplet nomaffiche nombre nombrecompleto contacto`,
  groups: `group groups gruppe gruppen grupp grupper groupe groupes grupo grupos category categories kategorie
    kategorien kategori kategorier categorie categoria categorias labels`,
  phone: `phone phonenumber mobile mobilephone mobilenumber telefon telefonnummer handy handynummer mobil mobilnummer
    mobiltelefon telephone telephoneportable portable numerodetelephone telefono telefonomovil movil
    numerodetelefono`,
  language: 'language sprache sprak langue idioma',
} as const;

export type ContactColumn = keyof typeof knownNames;
export const contactColumns = Object.keys(knownNames) as readonly ContactColumn[];
export type ContactMapping = Readonly<Partial<Record<ContactColumn, number>>>;

/** A table of contacts: the names of its columns, which of them was recognised as what, and its rows. */
export interface ContactFile {
  /** Empty if a column has no name. */
  readonly columns: readonly string[];
  readonly mapping: ContactMapping;
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

/** The largest number of columns: more than any address book exports. */
export const mostColumns = 200;
/** A contact's texts are far shorter, and so are the notes that address books add. */
const recordLength = 64 * 1024;
/** Longer than any cell that can be imported, so that the end of a longer one does not matter. */
const cellLength = 2 * limits.groupsPerContact * limits.groupLength;

export type ContactFileFault =
  | { readonly fault: 'empty' | 'tooMany' }
  | { readonly fault: 'quote' | 'columns'; readonly line: number };

/**
 * The text of a file: in the encoding that its mark at the beginning tells, otherwise in UTF-8 if it is valid, otherwise
 * in the one that Windows uses in our languages. Undefined if it is no text.
 */
export function decodeText(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  const text = marked
    ? new TextDecoder(marked).decode(bytes)
    : (decodeUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes));
  return text.includes('\0') ? undefined : text;
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads no further than an account can have contacts, and a record no further than it may have columns. */
export async function readContactFile(text: string): Promise<ContactFile | ContactFileFault> {
  const all: { line: number; cells: string[] }[] = [];
  for await (const record of inTurns(readCsv(text, { fields: mostColumns, length: recordLength }))) {
    if (record === undefined) continue;
    if ('fault' in record) return record;
    all.push(toRow(record));
    if (all.length > limits.contactsPerAccount + 1) return { fault: 'tooMany' };
  }
  const [head, ...below] = all;
  if (!head) return { fault: 'empty' };
  const recognised = recogniseColumns(head.cells);
  // Without a line of names, the first line is a contact like the others.
  const isNamed = Object.keys(recognised).length > 0 || !head.cells.some((cell) => cell.includes('@'));
  const rows = isNamed ? below : all;
  if (rows.length === 0) return { fault: 'empty' };
  if (rows.length > limits.contactsPerAccount) return { fault: 'tooMany' };
  const columns = isNamed ? head.cells : head.cells.map(() => '');
  const email = recognised.email ?? findAddressColumn(rows);
  return { columns, rows, mapping: email === undefined ? recognised : { ...recognised, email } };
}

function toRow({ line, fields }: CsvRecord) {
  return { line, cells: fields.map((field) => restoreCell(field.slice(0, cellLength))) };
}

function recogniseColumns(names: readonly string[]): ContactMapping {
  const simple = names.map((name) =>
    name
      .slice(0, limits.nameLength)
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, ''),
  );
  const found = contactColumns.flatMap((column) => {
    const known = new Set(knownNames[column].split(/\s+/));
    const index = simple.findIndex((name) => known.has(name));
    return index === -1 ? [] : [[column, index] as const];
  });
  return Object.fromEntries(found);
}

/** The first column that has something like an address in one of the first rows. */
function findAddressColumn(rows: ContactFile['rows']): number | undefined {
  for (const { cells } of rows.slice(0, 20)) {
    const index = cells.findIndex((cell) => cell.length <= limits.emailLength && /^[^\s@]+@\S+$/.test(cell));
    if (index !== -1) return index;
  }
  return undefined;
}

/** The contacts in the rows. An empty cell leaves what is known about a contact as it is, and groups are added to its groups. */
export async function toContactInputs(
  { rows }: ContactFile,
  mapping: ContactMapping,
  group: string,
): Promise<ContactInput[]> {
  const groups = splitGroups(group);
  const inputs: ContactInput[] = [];
  for await (const { cells } of inTurns(rows)) {
    const read = (column: ContactColumn) => {
      const index = mapping[column];
      return index === undefined ? '' : (cells[index] ?? '');
    };
    const [name, phone, language] = [read('name'), toPhone(read('phone')), read('language')];
    const addedGroups = [...new Set([...splitGroups(read('groups')), ...groups])];
    inputs.push({
      email: read('email'),
      ...(name === '' ? {} : { name }),
      ...(phone === '' ? {} : { phone }),
      ...(language === '' ? {} : { language }),
      ...(addedGroups.length === 0 ? {} : { addedGroups }),
    });
  }
  return inputs;
}
