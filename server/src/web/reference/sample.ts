import { machineExamples } from '../../api/machine/example-values.ts';
import { recordedExamples } from '../../api/v1/openapi/recorded-examples.ts';
import { type Document, findExamples, getReferredName, resolve, type Schema } from './document.ts';

/** An id that is that of nothing in the recorded examples. */
const id = '01b97800-0000-7000-8000-000000000000';

/** The values of each field in the recorded examples, except null, and ids, which would be those of other things. */
const recordedFields = new Map<string, unknown[]>();
const rememberField = (field: string, value: unknown) =>
  recordedFields.set(field, [...(recordedFields.get(field) ?? []), value]);
const rememberFields = (value: unknown): void => {
  if (Array.isArray(value)) for (const inner of value) rememberFields(inner);
  else if (typeof value === 'object' && value !== null) {
    for (const [field, inner] of Object.entries(value)) {
      if (inner !== null && field !== 'id') rememberField(field, inner);
      rememberFields(inner);
    }
  }
};
for (const { request, response } of Object.values(recordedExamples)) rememberFields([response, request]);
for (const [field, value] of Object.entries(machineExamples)) rememberField(field, value);

const recordedSchemas = new WeakMap<Document, ReadonlyMap<string, unknown>>();

/**
 * Creates a value that is valid for the schema: the one in the examples of the document if it has a name and there is one, or
 * else one of recorded fields.
 */
export function createSample(document: Document, schema: Schema, field = ''): unknown {
  const name = getReferredName(schema);
  if (name !== undefined && recorded(document).has(name)) return recorded(document).get(name);
  const own = recordedFields.get(field)?.find((value) => fits(document, schema, value));
  if (own !== undefined) return own;
  const { properties, maxProperties, items, anyOf, const: only, enum: choices, ...rest } = resolve(document, schema);
  if (only !== undefined) return only;
  if (choices) return choices[0];
  if (anyOf)
    return anyOf.some(({ type }) => type === 'null') ? null : createSample(document, anyOf[0] as Schema, field);
  if (items) return [createSample(document, items, field)];
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties)
        .slice(0, maxProperties)
        .map(([key, inner]) => [key, createSample(document, inner, key)]),
    );
  }
  const { type, format, minimum } = rest;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'object') return {};
  if (format === 'uuid') return id;
  if (format === 'date-time') return '2030-01-31T12:00:00Z';
  return format === 'uri' ? 'https://files.example.org/…' : 'text';
}

/** Collects the values of named schemas from the examples of a document. */
function recorded(document: Document): ReadonlyMap<string, unknown> {
  const known = recordedSchemas.get(document);
  if (known) return known;
  const values = new Map<string, unknown>();
  const collect = (schema: Schema, value: unknown): void => {
    const name = getReferredName(schema);
    if (name !== undefined && !values.has(name)) values.set(name, value);
    const { properties = {}, items, anyOf = [] } = resolve(document, schema);
    if (Array.isArray(value) && items) for (const inner of value) collect(items, inner);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) if (properties[key]) collect(properties[key], inner);
      const choice = anyOf.find((one) => isLike(document, one, value));
      if (choice) collect(choice, value);
    }
  };
  for (const { schema, example } of findExamples(document)) collect(schema, example);
  if (document.webhooks) {
    collect({ $ref: '#/components/schemas/EventPage' }, recordedExamples['events']?.response);
    collect({ $ref: '#/components/schemas/Problem' }, recordedExamples['problem']?.response);
  }
  recordedSchemas.set(document, values);
  return values;
}

/** Whether an object has the constants of the schema, such as the type of an event, or is a list if the schema is one. */
function isLike(document: Document, schema: Schema, value: object): boolean {
  const { type, properties = {} } = resolve(document, schema);
  if (Array.isArray(value)) return type === 'array';
  return Object.entries(properties).every(([key, inner]) => {
    const { const: only } = resolve(document, inner);
    return only === undefined || only === (value as Record<string, unknown>)[key];
  });
}

/** Whether the type of the value is one of the schema's; the same name has several types. */
function fits(document: Document, schema: Schema, value: unknown): boolean {
  const {
    type,
    format,
    pattern,
    minimum = -Infinity,
    anyOf,
    enum: choices,
    const: only,
    items,
    properties,
  } = resolve(document, schema);
  if (anyOf) return anyOf.some((one) => fits(document, one, value));
  if (only !== undefined) return only === value;
  if (choices) return choices.some((choice) => choice === value);
  if (properties) return false;
  if (items) return Array.isArray(value) && value.every((inner) => fits(document, items, inner));
  if (pattern !== undefined && !new RegExp(pattern).test(String(value))) return false;
  if (typeof value === 'number' && value < minimum) return false;
  if (format === 'uuid' && String(value).length !== id.length) return false;
  return type === (Number.isInteger(value) && type === 'integer' ? 'integer' : typeof value);
}
