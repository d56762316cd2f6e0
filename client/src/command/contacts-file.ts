import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { ContactInput } from '../wire.ts';
import { CommandError, exits } from './exits.ts';
import type { Terminal } from './terminal.ts';

export const numberRule = '7 to 15 digits, starting with the country code, without + or spaces';
export const languageRule = 'a tag such as en or pt-BR';

export function isNumber(value: string): boolean {
  return /^(?:[1-9][0-9]{6,14})?$/.test(value);
}

export function isLanguage(value: string): boolean {
  return /^(?:[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)?$/.test(value);
}

const next = 'Use a JSON list of contacts, as `waybill contacts export` writes it.';

/**
 * The contacts of a JSON file. What is wrong is told with the place in the file: the server would only know the place in
 * the whole list of the account.
 */
export async function readContactsFile({ input }: Terminal, path: string): Promise<ContactInput[]> {
  const source = path === '-' ? 'Standard input' : path;
  const json = path === '-' ? await text(input) : await readFile(path, 'utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw new CommandError(exits.usage, 'not_json', `${source} is not JSON${placeIn(error as Error)}.`, next);
  }
  if (!Array.isArray(parsed)) throw new CommandError(exits.usage, 'no_contacts', `${source} is not a list.`, next);
  for (const [index, contact] of parsed.entries()) {
    const problem = problemOf(contact);
    if (problem)
      throw new CommandError(exits.usage, 'no_contact', `${source}, contact ${index + 1}: ${problem}.`, next);
  }
  return parsed as ContactInput[];
}

function placeIn({ message }: Error): string {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
  if (line) return `: see line ${line}, column ${column}`;
  return message.includes('end of JSON') ? ': it ends too early' : '';
}

function problemOf(contact: unknown): string | undefined {
  if (typeof contact !== 'object' || contact === null) return 'it is not an object with an "email"';
  const { email, number, language } = contact as Record<string, unknown>;
  if (typeof email !== 'string') return 'it has no "email"';
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return `"${email}" is not an e-mail address`;
  if (number !== undefined && !(typeof number === 'string' && isNumber(number)))
    return `"number" must be ${numberRule}`;
  if (language !== undefined && !(typeof language === 'string' && isLanguage(language)))
    return `"language" must be ${languageRule}`;
  return undefined;
}
