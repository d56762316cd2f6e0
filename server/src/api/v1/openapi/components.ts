import type { ErrorCode } from '@waybill/protocol';
import * as v1 from '@waybill/protocol/v1';
import { type TSchema, Type } from 'typebox';

/** Schemas of parameters and headers, which the document lists one by one. */
const isParameters = /(?:Query|Params|Headers)$/;

/**
 * Every schema of a body, by its name, which is part of the contract because generated clients use it for their types.
 */
export const namedSchemas: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(
    Object.entries<unknown>(v1).flatMap(([name, value]) =>
      /^[A-Z]/.test(name) && !isParameters.test(name) && Type.IsSchema(value) ? [[name, value]] : [],
    ),
  ),
  ...Object.fromEntries(v1.AccountEvent.anyOf.map((event) => [`${toName([event.properties.type.const])}Event`, event])),
};

/** Creates the schemas of problems for all operations together; each operation lists the codes of its own responses. */
export function problemSchemas(codes: readonly ErrorCode[]) {
  const ErrorCode = Type.Enum([...codes], { description: 'The reason of a problem, for programs.' });
  return { ErrorCode, Problem: v1.Problem(ErrorCode) };
}

/** Describes a problem that has one of these codes. */
export function problemWith(codes: readonly ErrorCode[]) {
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { required: ['code'], properties: { code: { enum: codes } } }],
  };
}

/** `drop.file_delivered` → "DropFileDelivered"; several are joined with "Or". */
export function toName(words: readonly string[]): string {
  return words
    .map((word) => word.replace(/(?:^|[._])([a-z])/g, (_, character: string) => character.toUpperCase()))
    .join('Or');
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/**
 * Replaces each schema that is also a component by a reference to it. Compares schemas as JSON: optional ones are
 * copied, so their identity does not help.
 */
export function withReferences<Described extends object>(described: Described, components: Components): Described {
  const places = new Map<string, string>();
  for (const [kind, members] of Object.entries(components)) {
    for (const [name, member] of Object.entries(members)) {
      const [text, place] = [JSON.stringify(member), `#/components/${kind}/${name}`];
      if (places.has(text)) throw new Error(`${place} is the same as ${places.get(text)}`);
      places.set(text, place);
    }
  }
  const replaceInside = <Value>(value: Value): Value =>
    Array.isArray(value)
      ? (value.map(referred) as Value)
      : (Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, referred(inner)])) as Value);
  const referred = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const place = places.get(JSON.stringify(value));
    return place === undefined ? replaceInside(value) : { $ref: place };
  };
  const inside = Object.entries(components).map(([kind, members]) => [
    kind,
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, replaceInside(member)])),
  ]);
  return { ...replaceInside(described), components: Object.fromEntries(inside) };
}

/**
 * Writes schemas as generators of typed clients expect them. Those for Java, C# and Go make an untyped value of an `enum` that has
 * no `type`, and an object without members of one that has only `patternProperties`.
 */
export function toGeneratable<Value>(value: Value, field = ''): Value {
  if (typeof value !== 'object' || value === null || field === 'example') return value;
  if (Array.isArray(value)) return value.map((inner) => toGeneratable(inner)) as Value;
  const { patternProperties, ...rest } = value as Record<string, unknown>;
  const isEnum =
    field !== 'properties' &&
    Array.isArray(rest['enum']) &&
    rest['type'] === undefined &&
    !rest['enum'].some((one) => typeof one !== 'string');
  const patterns = Object.entries(patternProperties ?? {});
  const [[pattern, member] = []] = patterns;
  const written = {
    ...(isEnum ? { type: 'string' } : {}),
    ...rest,
    ...(patterns.length === 1 ? { propertyNames: { pattern }, additionalProperties: member } : {}),
  };
  return Object.fromEntries(Object.entries(written).map(([key, inner]) => [key, toGeneratable(inner, key)])) as Value;
}
