import { parseCsv, restoreCell } from '@waybill/protocol';
import type { ContactInput } from '../../domain/contacts/contact-input.ts';
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

export type ContactFileFault = { readonly fault: 'empty' } | { readonly fault: 'quote'; readonly line: number };

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

export function readContactFile(text: string): ContactFile | ContactFileFault {
  const records = parseCsv(text);
  if (!Array.isArray(records)) return { fault: 'quote', line: records.brokenLine };
  const all = records.map(({ line, fields }) => ({ line, cells: fields.map(restoreCell) }));
  const [head, ...below] = all;
  if (!head) return { fault: 'empty' };
  const recognised = recogniseColumns(head.cells);
  // Without a line of names, the first line is a contact like the others.
  const isNamed = Object.keys(recognised).length > 0 || !head.cells.some((cell) => cell.includes('@'));
  const rows = isNamed ? below : all;
  if (rows.length === 0) return { fault: 'empty' };
  const columns = isNamed ? head.cells : head.cells.map(() => '');
  const email = recognised.email ?? findAddressColumn(rows);
  return { columns, rows, mapping: email === undefined ? recognised : { ...recognised, email } };
}

function recogniseColumns(names: readonly string[]): ContactMapping {
  const simple = names.map((name) =>
    name
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
    const index = cells.findIndex((cell) => /^\S+@\S+$/.test(cell));
    if (index !== -1) return index;
  }
  return undefined;
}

/** The contacts in the rows. An empty cell leaves what is known about a contact as it is, and groups are added to its groups. */
export function toContactInputs({ rows }: ContactFile, mapping: ContactMapping, group: string): ContactInput[] {
  return rows.map(({ cells }) => {
    const read = (column: ContactColumn) => {
      const index = mapping[column];
      return index === undefined ? '' : (cells[index] ?? '');
    };
    const [name, phone, language] = [read('name'), toPhone(read('phone')), read('language')];
    const addedGroups = [...new Set([...splitGroups(read('groups')), ...splitGroups(group)])];
    return {
      email: read('email'),
      ...(name === '' ? {} : { name }),
      ...(phone === '' ? {} : { phone }),
      ...(language === '' ? {} : { language }),
      ...(addedGroups.length === 0 ? {} : { addedGroups }),
    };
  });
}
