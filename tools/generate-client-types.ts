/**
 * Writes what the client shares with the protocol: client/src/wire.ts from the schemas, and client/src/safe-name.ts as
 * a copy. The client is published on its own: it needs neither the protocol nor the library that the schemas are
 * written with.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import * as protocol from '../protocol/src/index.ts';

interface Schema {
  type?: string;
  const?: string | boolean;
  enum?: unknown[];
  anyOf?: Schema[];
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[] | undefined;
  description?: string;
}

/** Name, comment, schema and, if it has all of another one's fields, that one. */
const shapes = [
  ['Scope', 'What a key may do.', protocol.Scope],
  ['AccountView', 'The account, the key that asks, and what they may do.', protocol.AccountView],
  ['Key', 'A key as it is listed. Null means without restriction.', protocol.Key],
  ['NewKey', 'What a new key may do.', protocol.NewKey],
  ['CreatedKey', 'A new key. No other answer has the key itself.', protocol.CreatedKey, protocol.Key],
  ['RevokedKeys', 'What was revoked with a key, and what goes on.', protocol.RevokedKeys],
  ['NewReceiver', 'A receiver of a new drop; only the address is needed.', protocol.NewReceiver],
  ['NewDrop', 'What to send, to whom, and until when.', protocol.NewDrop],
  ['Drop', 'A drop as lists have it.', protocol.Drop],
  ['DropReceiver', 'A receiver of a drop, and what they did.', protocol.DropReceiver],
  ['DropFile', 'A file of a drop.', protocol.DropFile],
  ['DropDetails', 'A drop with its receivers and files.', protocol.DropDetails, protocol.Drop],
  ['CreatedDrop', 'A new drop. No other answer has links.', protocol.CreatedDrop, protocol.Drop],
  ['CheckedDrop', 'What a dry run found.', protocol.CheckedDrop],
  ['NewRequest', 'Whom to ask for files, and until when.', protocol.NewRequest],
  ['FileRequest', 'A request for files as lists have it.', protocol.FileRequest],
  ['FileRequestReceiver', 'Someone who was asked for files, and what they did.', protocol.FileRequestReceiver],
  [
    'FileRequestDetails',
    'A request for files with those who were asked.',
    protocol.FileRequestDetails,
    protocol.FileRequest,
  ],
  [
    'CreatedFileRequest',
    'A new request for files. No other answer has links.',
    protocol.CreatedFileRequest,
    protocol.FileRequest,
  ],
  ['CheckedFileRequest', 'What a dry run found.', protocol.CheckedFileRequest],
  ['SentQuery', 'Which drops or requests to list.', protocol.SentQuery],
  ['Extension', 'When it ends: one of the two.', protocol.Extension],
  ['Reminded', 'How many receivers were reminded.', protocol.Reminded],
  ['AddedReceiver', 'A receiver who was added.', protocol.AddedReceiver],
  ['ContactView', 'A contact as the server answers it.', protocol.ContactView],
  ['ContactDetails', 'What a contact may have besides its address.', protocol.ContactDetails],
  [
    'ImportedContact',
    'A contact to add or change; only the address is needed.',
    protocol.ImportedContact,
    protocol.ContactDetails,
  ],
  ['ContactQuery', 'Which contacts to list.', protocol.ContactQuery],
  ['ImportResult', 'What was done with each contact.', protocol.ImportResult],
  ['UploadView', 'What was uploaded and is not sent yet.', protocol.UploadView],
  ['QueuedEntry', 'What a contact or another account sent.', protocol.QueuedEntry],
  [
    'ClaimedEntry',
    'An entry that is leased to the caller. `attempts` is the number of this attempt.',
    protocol.ClaimedEntry,
    protocol.QueuedEntry,
  ],
  ['EntryFile', 'A file of an entry.', protocol.EntryFile],
  ['EntryDetails', 'An entry and its files.', protocol.InboxEntryWithFiles, protocol.QueuedEntry],
  ['EventType', 'What can happen to an account.', protocol.EventType],
  [
    'AccountEvent',
    'What happened to the account. Every event has an `id`, a `type`, `created_at` and `data`.',
    protocol.Event,
  ],
  ['WebhookView', 'Where events are sent.', protocol.WebhookView],
  ['NewWebhook', 'A new webhook.', protocol.NewWebhook],
  ['WebhookChanges', 'What to change of a webhook.', protocol.WebhookChanges],
  [
    'WebhookWithSecret',
    'A webhook with its secret, which no other answer has.',
    protocol.WebhookWithSecret,
    protocol.WebhookView,
  ],
  ['WebhookAttempt', 'A request that was sent to a webhook.', protocol.WebhookAttempt],
  ['Replay', 'What to send a webhook again: one of the two.', protocol.Replay],
  ['Fault', 'One thing that is wrong with a request.', protocol.Fault],
] as const satisfies readonly (readonly [name: string, comment: string, schema: Schema, base?: Schema])[];

const lineLength = 120;
const nameOf = new Map<Schema, string>(shapes.map(([name, , schema]) => [schema, name]));

export function clientTypes(): string {
  const codes = Object.keys(protocol.errorMessages).map((code) => `  | '${code}'`);
  return [
    '// Made by tools/generate-client-types.ts from the schemas of the protocol. Change those, not this.',
    ...shapes.map(([name, about, schema, base]) => `\n${comment(about, '')}${declaration(name, schema, base)}`),
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

function declaration(name: string, schema: Schema, base?: Schema): string {
  const options = schema.enum?.map(literal) ?? schema.anyOf?.map((option) => typeOf(option, '    '));
  if (base) return `export interface ${name} extends ${nameOf.get(base)} ${fields(without(schema, base), '')}`;
  if (!options) return `export interface ${name} ${fields(schema, '')}`;
  const line = `export type ${name} = ${options.join(' | ')};`;
  return line.length <= lineLength
    ? line
    : `export type ${name} =${options.map((option) => `\n  | ${option}`).join('')};`;
}

function without({ properties = {}, ...schema }: Schema, base: Schema): Schema {
  const inherited = Object.entries(base.properties ?? {});
  const differing = inherited.find(([key, value]) => properties[key] !== value);
  if (differing) throw new Error(`${differing[0]} is not the same as in ${nameOf.get(base)}`);
  const own = Object.entries(properties).filter(([key]) => base.properties?.[key] === undefined);
  return { ...schema, properties: Object.fromEntries(own) };
}

function typeOf(schema: Schema, indent: string): string {
  const name = nameOf.get(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((option) => typeOf(option, indent)).join(' | ');
  if (schema.items) {
    const item = typeOf(schema.items, indent);
    const isUnion = item.includes(' | ') && !item.startsWith('{');
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return fields(schema, indent);
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values) return `Record<string, ${typeOf(values, indent)}>`;
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  throw new Error(`the generator does not know this schema: ${JSON.stringify(schema)}`);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function fields(schema: Schema, indent: string): string {
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const optional = required.has(key) ? '' : '?';
    const about = value.description === undefined ? '' : comment(sentence(value.description), `${indent}  `);
    return `${about}${indent}  ${key}${optional}: ${typeOf(value, `${indent}  `)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Some descriptions are the end of a sentence: what a value that is refused should be. */
function sentence(description: string): string {
  const whole = description.replace(/\.?$/, '.');
  // A value that is explained stays as it is written: "gone: …".
  return /^[a-z_]+:/.test(whole) ? whole : `${whole.charAt(0).toUpperCase()}${whole.slice(1)}`;
}

function comment(text: string, indent: string): string {
  const oneLine = `${indent}/** ${text} */\n`;
  if (oneLine.length <= lineLength) return oneLine;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (`${indent} * ${line} ${word}`.length > lineLength) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

if (import.meta.main) {
  writeFileSync(new URL('../client/src/wire.ts', import.meta.url), clientTypes());
  writeFileSync(new URL('../client/src/safe-name.ts', import.meta.url), clientSafeNames());
}
