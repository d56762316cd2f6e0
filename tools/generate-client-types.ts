/**
 * Writes what the client shares with the protocol: client/src/wire.ts from the schemas, and client/src/safe-name.ts as
 * a copy. The client is published on its own: it needs neither the protocol nor the library that the schemas are
 * written with.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as protocol from '../protocol/src/index.ts';

interface Schema {
  type?: string;
  const?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[] | undefined;
}

const shapes = [
  ['Contact', 'A contact as the server answers it.', protocol.Contact],
  ['Receiver', 'A receiver as the history shows it.', protocol.Receiver],
  ['ContactInput', 'What may be sent for a contact or a receiver; only the address is needed.', protocol.ContactInput],
  ['ContactList', 'The account’s own contacts, and the administrator’s.', protocol.ContactList],
  ['DispatchParameters', 'The body of a dispatch or a grant.', protocol.DispatchParameters],
  ['UploadedFile', 'A file that is staged in a draft.', protocol.UploadedFile],
  ['FileReference', 'A file of a drop. `settings` is a JSON array as text.', protocol.FileReference],
  ['Sender', 'The account that made a drop.', protocol.Sender],
  ['HistoryEntry', 'A drop or grant of this account.', protocol.HistoryEntry],
  ['InboxEntry', 'A drop of another account to this one.', protocol.InboxEntry],
] as const satisfies readonly (readonly [string, string, Schema])[];

const nameOf = new Map<Schema, string>(shapes.map(([name, , schema]) => [schema, name]));

export function clientTypes(): string {
  const codes = Object.keys(protocol.errorMessages).map((code) => `  | '${code}'`);
  return [
    '// Made by tools/generate-client-types.ts from the schemas of the protocol. Change those, not this.',
    ...shapes.map(([name, comment, schema]) => `\n/** ${comment} */\nexport interface ${name} ${fields(schema, '')}`),
    '',
    '/** Every way the server can refuse a request. */',
    'export type ErrorCode =',
    `${codes.join('\n')};`,
    '',
  ].join('\n');
}

export function clientSafeNames(): string {
  const source = readFileSync(new URL('../protocol/src/safe-name.ts', import.meta.url), 'utf8');
  return `// Copied by tools/generate-client-types.ts from protocol/src/safe-name.ts. Change that file, not this one.\n${source}`;
}

function typeOf(schema: Schema, indent: string): string {
  const name = nameOf.get(schema);
  if (name !== undefined) return name;
  if (typeof schema.const === 'string') return `'${schema.const}'`;
  if (schema.anyOf) return schema.anyOf.map((option) => typeOf(option, indent)).join(' | ');
  if (schema.items) {
    const item = typeOf(schema.items, indent);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return fields(schema, indent);
  if (schema.type === 'string') return 'string';
  if (schema.type === 'integer') return 'number';
  throw new Error(`the generator does not know this schema: ${JSON.stringify(schema)}`);
}

function fields(schema: Schema, indent: string): string {
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const optional = required.has(key) ? '' : '?';
    return `${indent}  ${key}${optional}: ${typeOf(value, `${indent}  `)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

if (import.meta.main) {
  writeFileSync(new URL('../client/src/wire.ts', import.meta.url), clientTypes());
  writeFileSync(new URL('../client/src/safe-name.ts', import.meta.url), clientSafeNames());
}
