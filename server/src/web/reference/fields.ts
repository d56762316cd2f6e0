import type { ReferenceField } from './blocks.ts';
import { type Document, getReferredName, type Parameter, resolve, type Schema } from './document.ts';

const numbers = new Intl.NumberFormat('en');
/** No schema is nested more deeply. A schema that contained itself would be cut off here. */
const maxDepth = 6;

/** In a request, a field is remarkable if it has to be there; in a response, if it may be missing. */
export type Direction = 'request' | 'response';

/** Describes schemas by fields; `toHref` is the address of the page of a named schema. */
export class FieldDescriber {
  readonly #document: Document;
  readonly #toHref: (name: string) => string;

  constructor(document: Document, toHref: (name: string) => string) {
    this.#document = document;
    this.#toHref = toHref;
  }

  /** Lists the fields of an object, or of the objects in a list. */
  listFields(schema: Schema, direction: Direction, depth = 0): ReferenceField[] {
    const { properties, items, required = [] } = resolve(this.#document, schema);
    if (depth > maxDepth) return [];
    if (items) return this.listFields(items, direction, depth);
    return Object.entries(properties ?? {}).map(([name, field]) => {
      const inner = [field, ...(field.anyOf ?? [])].find((one) => this.#hasFields(one));
      const about = field.description ?? field.items?.description ?? resolve(this.#document, field).description;
      return {
        name,
        type: this.toType(field),
        ...toPresence(required.includes(name), direction),
        about: toAbout(about, field),
        fields: inner ? this.listFields(inner, direction, depth + 1) : [],
      };
    });
  }

  toParameter({ name, description, required = false, schema }: Parameter): ReferenceField {
    return {
      name,
      type: this.toType(schema),
      ...toPresence(required, 'request'),
      about: toAbout(description, schema),
      fields: [],
    };
  }

  #hasFields(schema: Schema): boolean {
    const { properties, items } = resolve(this.#document, schema);
    return properties !== undefined || (items !== undefined && this.#hasFields(items));
  }

  /** Names the type in a little Markdown. */
  toType(schema: Schema): string {
    const name = getReferredName(schema);
    if (name !== undefined) {
      const named = resolve(this.#document, schema);
      return named.format === 'date-time' ? this.toType(named) : `[${name}](${this.#toHref(name)})`;
    }
    if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => this.toType(one)))].join(' or ');
    if (schema.const !== undefined) return `\`${schema.const}\``;
    if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' or ');
    if (schema.items) return `list of ${this.toType(schema.items)}`;
    const { additionalProperties: others, patternProperties = {} } = schema;
    const [values] = typeof others === 'object' ? [others] : Object.values(patternProperties);
    if (values) return `object of ${this.toType(values)}s`;
    if (schema.format === 'binary') return 'bytes';
    return schema.format === 'date-time' ? 'time' : (schema.format ?? schema.type ?? 'any');
  }
}

function toPresence(isRequired: boolean, direction: Direction): Pick<ReferenceField, 'presence'> {
  if (direction === 'request') return isRequired ? { presence: 'required' } : {};
  return isRequired ? {} : { presence: 'optional' };
}

function toAbout(description = '', schema: Schema): string {
  // A sentence that begins with a value, such as "local: the account’s own", keeps it as it is.
  const isValue = /^\w+:/.test(description);
  const sentence = isValue ? description : `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
  const ended = sentence === '' || /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
  return [ended, toLimits(schema)].filter((part) => part !== '').join(' ');
}

/** Says how large a value may be. */
function toLimits({ minLength = 0, maxLength, minimum, maximum, minItems = 0, maxItems, items }: Schema): string {
  if (maxLength !== undefined) return `${toSpan(minLength, maxLength)} characters.`;
  if (maximum !== undefined) return `${toSpan(minimum ?? 0, maximum)}.`;
  if (maxItems === undefined) return '';
  const each =
    items?.maxLength === undefined ? '' : `, each of ${toSpan(items.minLength ?? 0, items.maxLength, '')} characters`;
  return `${toSpan(minItems, maxItems)} entries${each}.`;
}

function toSpan(from: number, to: number, start = 'Up to'): string {
  const [low, high] = [numbers.format(from), numbers.format(to)];
  if (from === to) return low;
  return from > 0 ? `${low} to ${high}` : `${start === '' ? 'up to' : start} ${high}`;
}
