import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { toCanonicalAddress } from '../../canonical-address.ts';
import { parseCsv } from '../../generated/csv.ts';
import type { ImportedContact } from '../../generated/wire.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { formatCount } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const phoneRule = '7 to 15 digits, starting with the country code, without + or spaces';
export const languageRule = 'a tag such as en or pt-BR';

export function isPhone(value: string): boolean {
  return /^(?:[1-9][0-9]{6,14})?$/.test(value);
}

export function isLanguage(value: string): boolean {
  return /^(?:[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*)?$/.test(value);
}

const formatAdvice =
  'Use a JSON list of contacts, as `waybill contacts export` writes it, or CSV with a line of headers.';

/** Reads the contacts of a JSON or CSV file. Errors name the position in the file, which the server does not know. */
export async function readContactsFile({ input }: Terminal, path: string): Promise<ImportedContact[]> {
  const source = path === '-' ? 'Standard input' : path;
  const content = path === '-' ? await text(input) : await readFile(path, 'utf8');
  const isJson = /\.json$/i.test(path) || /^\s*[[{]/.test(content);
  const found = isJson ? parseJsonContacts(content, source) : parseCsvContacts(content, source);
  const addresses = new Set<string>();
  const problems = found.flatMap(({ contact, place, problem = findProblem(contact, addresses) }) => {
    return problem === undefined ? [] : [`${place}: ${problem}`];
  });
  if (problems.length > 0) throw problemsError(source, problems);
  return found.map(({ contact }) => contact as ImportedContact);
}

/** A file can have thousands of faulty lines. */
const maxProblems = 100;

function problemsError(source: string, problems: readonly string[]): CommandError {
  const [first = ''] = problems;
  const rest = problems.length - maxProblems;
  const message =
    problems.length === 1
      ? `${source}, ${first}.`
      : [
          `${source} has ${formatCount(problems.length)} faulty contacts; nothing was imported.`,
          ...problems.slice(0, maxProblems),
          ...(rest > 0 ? [`… and ${formatCount(rest)} more`] : []),
        ].join('\n');
  return new CommandError(exitCodes.usage, 'no_contact', message, formatAdvice);
}

interface FoundContact {
  contact: unknown;
  place: string;
  /** A problem of the line itself. */
  problem?: string | undefined;
}

/** The accepted names of columns and fields. */
const fieldNames: ReadonlyMap<string, keyof ImportedContact> = new Map([
  ['email', 'email'],
  ['e-mail', 'email'],
  ['address', 'email'],
  ['name', 'name'],
  ['nick', 'name'],
  ['phone', 'phone'],
  ['number', 'phone'],
  ['language', 'language'],
  ['groups', 'groups'],
]);

function parseJsonContacts(content: string, source: string): FoundContact[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (error) {
    throw new CommandError(
      exitCodes.usage,
      'not_json',
      `${source} is not JSON${describeJsonPosition(error as Error)}.`,
      formatAdvice,
    );
  }
  if (!Array.isArray(parsed))
    throw new CommandError(exitCodes.usage, 'no_contacts', `${source} is not a list.`, formatAdvice);
  return parsed.map((contact: unknown, index) => ({ contact: renameFields(contact), place: `contact ${index + 1}` }));
}

function renameFields(contact: unknown): unknown {
  if (typeof contact !== 'object' || contact === null) return contact;
  return Object.fromEntries(Object.entries(contact).map(([name, value]) => [fieldNames.get(name) ?? name, value]));
}

/** Parses contacts; an empty cell leaves its field unchanged. */
function parseCsvContacts(content: string, source: string): FoundContact[] {
  const records = parseCsv(content);
  if (!Array.isArray(records)) {
    const message = `${source}, line ${records.brokenLine}: a quotation mark is unbalanced.`;
    throw new CommandError(exitCodes.usage, 'not_csv', message, 'Write a quotation mark inside a quoted field twice.');
  }
  const [header, ...rows] = records;
  const columns = header?.fields.map((name) => fieldNames.get(name.toLowerCase())) ?? [];
  const unknown = header?.fields.find((_name, index) => columns[index] === undefined);
  const known = 'email, name, phone, language and groups';
  if (unknown !== undefined || !columns.includes('email')) {
    const problem =
      unknown === undefined || !columns.includes('email')
        ? 'has no column email'
        : `has an unknown column "${unknown}"`;
    throw new CommandError(
      exitCodes.usage,
      'not_csv',
      `${source} ${problem}.`,
      `Name the columns in the first line: ${known}.`,
    );
  }
  return rows.map(({ line, fields: cells }) => {
    const given = cells.flatMap((value, index) => {
      const column = columns[index];
      if (column === undefined || value === '') return [];
      return [[column, column === 'groups' ? splitList(value) : value]];
    });
    const excess = cells.slice(columns.length).some((value) => value !== '');
    const problem = excess ? `it has ${cells.length} fields, and the first line has ${columns.length}` : undefined;
    return { contact: Object.fromEntries(given) as unknown, place: `line ${line}`, problem };
  });
}

function splitList(value: string): string[] {
  return value
    .split(/[;,|]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function describeJsonPosition({ message }: Error): string {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line) return `: see line ${line}, column ${column}`;
  return message.includes('end of JSON') ? ': it ends unexpectedly' : '';
}

/** Returns what is wrong with a contact, and adds its address to those that are already used. */
function findProblem(contact: unknown, addresses: Set<string>): string | undefined {
  if (typeof contact !== 'object' || contact === null) return 'it is not an object with an "email"';
  const { email, name, phone, language, groups, ...others } = contact as Record<string, unknown>;
  if (typeof email !== 'string') return 'it has no "email"';
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return `"${email}" is not a valid e-mail address`;
  if (addresses.has(toCanonicalAddress(email))) return `${email} is in the list twice`;
  addresses.add(toCanonicalAddress(email));
  if (name !== undefined && typeof name !== 'string') return '"name" must be a string';
  if (phone !== undefined && !(typeof phone === 'string' && isPhone(phone))) return `"phone" must be ${phoneRule}`;
  if (language !== undefined && !(typeof language === 'string' && isLanguage(language)))
    return `"language" must be ${languageRule}`;
  if (groups !== undefined && !(Array.isArray(groups) && groups.every((group) => typeof group === 'string')))
    return '"groups" must be a list of strings';
  const [unknown] = Object.keys(others);
  return unknown === undefined ? undefined : `"${unknown}" is not a field of a contact`;
}
