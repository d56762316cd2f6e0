/**
 * Writes the parts of the client that are derived: client/src/generated/wire.ts from the OpenAPI document, and
 * client/src/generated/safe-name.ts as a copy of the protocol's. The client is published on its own: it needs neither the protocol
 * nor the library that the schemas are written with.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { v1Document } from '../server/src/http/v1/openapi.ts';
import { routes } from '../server/src/http/v1/routes.ts';

interface Schema {
  $ref?: string;
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
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}
interface Operation {
  operationId: string;
  parameters: ({ $ref: string } | Parameter)[];
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const lineLength = 120;
const { paths, components } = v1Document(routes) as unknown as Document;

/** A type for every schema, and one for the query of every operation that has one, such as `ListDropsQuery`. */
export function clientTypes(): string {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const queries = operations.flatMap(({ operationId, parameters }): [string, Schema][] => {
    const all = parameters.map((one) => ('$ref' in one ? (components.parameters[nameIn(one.$ref)] as Parameter) : one));
    const query = all.filter((parameter) => parameter.in === 'query');
    return query.length === 0 ? [] : [[`${capitalize(operationId)}Query`, toSchema(operationId, query)]];
  });
  return [
    '// Made by tools/generate-client-types.ts from the OpenAPI document. Change the schemas of the protocol, not this.',
    ...[...Object.entries(components.schemas), ...queries]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => `\n${comment(sentence(schema.description ?? ''), '')}${declaration(name, schema)}`),
    '',
  ].join('\n');
}

export function clientSafeNames(): string {
  const source = readFileSync(new URL('../protocol/src/safe-name.ts', import.meta.url), 'utf8');
  return `// Copied by tools/generate-client-types.ts from protocol/src/safe-name.ts. Change that file, not this one.\n${source}`;
}

function toSchema(operationId: string, parameters: readonly Parameter[]): Schema {
  return {
    description: `The parameters of the operation \`${operationId}\`.`,
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(
      parameters.map(({ name, schema, description }) => [
        name,
        description === undefined ? schema : { ...schema, description },
      ]),
    ),
  };
}

function declaration(name: string, schema: Schema): string {
  if (schema.properties) return `export interface ${name} ${fields(schema, '')}`;
  const options = schema.enum?.map(literal) ??
    schema.anyOf?.map((option) => toType(option, '    ')) ?? [toType(schema, '')];
  const line = `export type ${name} = ${options.join(' | ')};`;
  return line.length <= lineLength
    ? line
    : `export type ${name} =${options.map((option) => `\n  | ${option}`).join('')};`;
}

function toType(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return schema.anyOf.map((option) => toType(option, indent)).join(' | ');
  if (schema.items) {
    const item = toType(schema.items, indent);
    const isUnion = item.includes(' | ') && !item.startsWith('{');
    return isUnion ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return fields(schema, indent);
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values) return `Record<string, ${toType(values, indent)}>`;
  if (schema.type === 'string' || schema.type === 'boolean' || schema.type === 'null') return schema.type;
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  throw new Error(`the generator does not know this schema: ${JSON.stringify(schema)}`);
}

/** `#/components/schemas/Drop` → `Drop` */
function nameIn(reference: string): string {
  return reference.split('/').at(-1) as string;
}

function capitalize(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function fields(schema: Schema, indent: string): string {
  const required = new Set(schema.required);
  const lines = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const optional = required.has(key) ? '' : '?';
    const description = (value.$ref === undefined ? value : components.schemas[nameIn(value.$ref)])?.description;
    const about = description === undefined ? '' : comment(sentence(description), `${indent}  `);
    return `${about}${indent}  ${key}${optional}: ${toType(value, `${indent}  `)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Some descriptions are the end of a sentence about a value that is refused: "must be …". */
function sentence(description: string): string {
  const whole = description.replace(/\.?$/, '.');
  // The explanation of a value stays as it is written: "gone: …".
  return /^[a-z_]+:/.test(whole) ? whole : capitalize(whole);
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
  writeFileSync(new URL('../client/src/generated/wire.ts', import.meta.url), clientTypes());
  writeFileSync(new URL('../client/src/generated/safe-name.ts', import.meta.url), clientSafeNames());
}
