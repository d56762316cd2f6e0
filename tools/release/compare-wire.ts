/**
 * Compares two OpenAPI documents of /api/v1 by the promise of docs/api-v1.md#compatibility, and lists what programs that were
 * written for the first may not survive.
 *
 *   node --conditions=source tools/release/compare-wire.ts write      stores the document of this version, for the next release
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

type Json = Readonly<Record<string, unknown>>;
/** The reader of a value that has a schema: the server, or a client, which cannot accept more than it knew. */
type Direction = 'request' | 'response';

/** The document of the last release. There is none before the first one, which writes it. */
export const releasedPath = new URL('released-openapi.json', import.meta.url);

const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Lists the breaking changes from one document to the next, each with its place. */
export function findBreakingChanges(before: Json, after: Json): string[] {
  return new Comparison(before, after).run();
}

class Comparison {
  readonly #before: Json;
  readonly #after: Json;
  readonly #breaking = new Set<string>();
  readonly #compared = new Set<string>();

  constructor(before: Json, after: Json) {
    this.#before = before;
    this.#after = after;
  }

  run(): string[] {
    for (const section of ['paths', 'webhooks']) {
      this.#eachKept(section, asObject(this.#before[section]), asObject(this.#after[section]), (path, was, is) =>
        this.#eachKept(path, was, is, (method, operation, changed) =>
          this.#compareOperation(
            `${method} (${String(operation['operationId'])})`,
            operation,
            changed,
            section === 'webhooks' ? 'response' : 'request',
          ),
        ),
      );
    }
    const schemas = (document: Json) => asObject(asObject(document['components'])['schemas']);
    // Generated clients make the names of their types from those of the schemas.
    this.#eachKept('schema', schemas(this.#before), schemas(this.#after), () => undefined);
    return [...this.#breaking];
  }

  #report(place: string, change: string): void {
    this.#breaking.add(`${place}: ${change}`);
  }

  #eachKept(place: string, was: Json, is: Json, compare: (place: string, was: Json, is: Json) => void): void {
    for (const [name, member] of Object.entries(was)) {
      if (name in is) compare(`${place} ${name}`, asObject(member), asObject(is[name]));
      else this.#report(place, `${name} is gone`);
    }
  }

  #compareOperation(place: string, was: Json, is: Json, direction: Direction): void {
    if (was['operationId'] !== is['operationId']) this.#report(place, 'has another operationId');
    // The description says which scope a key needs.
    if (
      was['description'] !== is['description'] &&
      direction === 'request' &&
      !/Any key/.test(String(is['description']))
    )
      this.#report(place, 'needs another scope');
    this.#compareParameters(place, was, is, direction);
    this.#compareBody(place, was, is, direction);
    if (direction === 'request') this.#compareResponses(place, was, is);
  }

  #compareParameters(place: string, was: Json, is: Json, direction: Direction): void {
    const byName = (operation: Json, document: Json) =>
      Object.fromEntries(
        asList(operation['parameters'])
          .map((parameter) => resolve(document, asObject(parameter)))
          .map((parameter) => [`${String(parameter['in'])} parameter ${String(parameter['name'])}`, parameter]),
      );
    const [old, now] = [byName(was, this.#before), byName(is, this.#after)];
    this.#eachKept(place, old, now, (inner, one, other) => {
      if (one['required'] !== true && other['required'] === true) this.#report(inner, 'is required');
      this.#compareSchema(inner, asObject(one['schema']), asObject(other['schema']), direction);
    });
    for (const [name, parameter] of Object.entries(now)) {
      if (!(name in old) && parameter['required'] === true) this.#report(place, `${name} is new and required`);
    }
  }

  #compareBody(place: string, was: Json, is: Json, direction: Direction): void {
    const [old, now] = [asObject(was['requestBody']), asObject(is['requestBody'])];
    if (!was['requestBody'] && now['required'] === true) this.#report(place, 'requires a body');
    if (was['requestBody'] && old['required'] !== true && now['required'] === true)
      this.#report(place, 'requires its body');
    this.#compareContent(`${place} body`, old, now, direction);
  }

  #compareResponses(place: string, was: Json, is: Json): void {
    const successes = (operation: Json) =>
      Object.fromEntries(Object.entries(asObject(operation['responses'])).filter(([status]) => status < '400'));
    const [old, now] = [successes(was), successes(is)];
    for (const status of Object.keys(now)) if (!(status in old)) this.#report(place, `also responds with ${status}`);
    this.#eachKept(`${place} response`, old, now, (inner, one, other) => {
      this.#eachKept(`${inner} header`, asObject(one['headers']), asObject(other['headers']), () => undefined);
      this.#compareContent(inner, one, other, 'response');
    });
  }

  #compareContent(place: string, was: Json, is: Json, direction: Direction): void {
    this.#eachKept(place, asObject(was['content']), asObject(is['content']), (inner, one, other) =>
      this.#compareSchema(inner, asObject(one['schema']), asObject(other['schema']), direction),
    );
  }

  #compareSchema(place: string, one: Json, other: Json, direction: Direction): void {
    const [was, is] = [resolve(this.#before, one), resolve(this.#after, other)];
    const name = (typeof one['$ref'] === 'string' ? one['$ref'] : '').split('/').at(-1);
    const key = `${direction} ${name}`;
    if (name && this.#compared.has(key)) return;
    this.#compared.add(key);
    const where = name === '' || name === undefined ? place : name;
    this.#compareValues(where, was, is, direction);
    this.#compareBounds(where, was, is, direction);
    this.#compareProperties(where, was, is, direction);
    if (was['items']) this.#compareSchema(`${where}[]`, asObject(was['items']), asObject(is['items']), direction);
    this.#compareChoices(where, was, is, direction);
  }

  /** The types and the listed values. What one side sends must be among what the other accepts. */
  #compareValues(place: string, was: Json, is: Json, direction: Direction): void {
    const types = (schema: Json) => [schema['type']].flat();
    const [sent, accepted] = direction === 'request' ? [was, is] : [is, was];
    if (
      !types(accepted).every((type) => type === undefined) &&
      !types(sent).every((type) => types(accepted).includes(type))
    )
      this.#report(place, `has another type`);
    for (const keyword of ['format', 'pattern']) {
      if (!same(was[keyword], is[keyword]) && accepted[keyword] !== undefined)
        this.#report(place, `has another ${keyword}`);
    }
    if (!same(was['const'], is['const'])) this.#report(place, 'has another value');
    const values = asList(accepted['enum']);
    if (values.length > 0) {
      const added = asList(sent['enum']).filter((value) => !values.includes(value));
      const verb = direction === 'request' ? 'no longer accepts' : 'may be';
      for (const value of added) this.#report(place, `${verb} ${String(value)}`);
      if (!sent['enum']) this.#report(place, direction === 'request' ? 'accepts only some values' : 'may be any value');
    }
  }

  /** A limit of a request may become wider, that of a response may become anything. */
  #compareBounds(place: string, was: Json, is: Json, direction: Direction): void {
    if (direction === 'response') return;
    const isNarrower = (keyword: string) => {
      const [old, now] = [was[keyword] as number | undefined, is[keyword] as number | undefined];
      if (now === undefined) return false;
      return keyword.startsWith('max')
        ? now < (old ?? Infinity)
        : now > (old ?? (keyword === 'minimum' ? -Infinity : 0));
    };
    for (const end of ['Length', 'Items', 'Properties', 'imum']) {
      for (const keyword of [`max${end}`, `min${end}`])
        if (isNarrower(keyword)) this.#report(place, `has a narrower ${keyword}`);
    }
  }

  #compareProperties(place: string, was: Json, is: Json, direction: Direction): void {
    const required = (schema: Json) => asList(schema['required']).map(String);
    const [sent, accepted] = direction === 'request' ? [was, is] : [is, was];
    for (const name of required(accepted)) {
      if (required(sent).includes(name) || (direction === 'response' && !(name in asObject(is['properties']))))
        continue;
      this.#report(place, direction === 'request' ? `${name} is required` : `${name} may be missing`);
    }
    this.#eachKept(place, asObject(was['properties']), asObject(is['properties']), (inner, one, other) =>
      this.#compareSchema(inner.replace(/ (\w+)$/, '.$1'), one, other, direction),
    );
    for (const keyword of ['additionalProperties', 'propertyNames']) {
      if (typeof was[keyword] === 'object')
        this.#compareSchema(`${place}.${keyword}`, asObject(was[keyword]), asObject(is[keyword]), direction);
    }
  }

  /** Clients ignore types of events that they do not know, so a response may have more choices of objects. */
  #compareChoices(place: string, was: Json, is: Json, direction: Direction): void {
    const identify = (document: Json) => (choice: unknown) => {
      const { $ref, type, format } = asObject(choice);
      const { const: only } = asObject(asObject(resolve(document, asObject(choice))['properties'])['type']);
      const texts = (...values: unknown[]) => values.filter((one) => typeof one === 'string');
      return texts(only, $ref)[0] ?? texts(type, format).join(' ');
    };
    const list = (schema: Json, document: Json) =>
      Object.fromEntries(asList(schema['anyOf']).map((choice) => [identify(document)(choice), asObject(choice)]));
    const [old, now] = [list(was, this.#before), list(is, this.#after)];
    if (!same(Object.keys(old).length === 0, Object.keys(now).length === 0)) this.#report(place, 'has another type');
    for (const [name, choice] of Object.entries(old)) {
      if (now[name]) this.#compareSchema(`${place} (${name})`, choice, now[name], direction);
      // A value that is no longer null, or an object that is no longer sent.
      else if (!(direction === 'response' && name.startsWith('null'))) this.#report(place, `${name} is gone`);
    }
    const isObject = (choice: Json) => resolve(this.#after, choice)['type'] === 'object';
    for (const [name, choice] of Object.entries(now)) {
      if (!(name in old) && direction === 'response' && !isObject(choice)) this.#report(place, `may be ${name.trim()}`);
    }
  }
}

function resolve(document: Json, value: Json): Json {
  const reference = value['$ref'];
  if (typeof reference !== 'string') return value;
  const [, ...path] = reference.split('/');
  return asObject(path.reduce<unknown>((inner, part) => asObject(inner)[part], document));
}

/** The document of this version, without the examples. */
export async function describeCurrent(): Promise<Json> {
  const { v1Document } = await import('../../server/src/api/v1/openapi/openapi.ts');
  const { routes } = await import('../../server/src/api/v1/routes.ts');
  return JSON.parse(
    JSON.stringify(v1Document(routes), (key, value) => (key === 'example' ? undefined : value)),
  ) as Json;
}

export function readReleased(): Json | undefined {
  return existsSync(releasedPath) ? (JSON.parse(readFileSync(releasedPath, 'utf8')) as Json) : undefined;
}

if (import.meta.main) writeFileSync(releasedPath, `${JSON.stringify(await describeCurrent())}\n`);
