import { describe, expect, test } from 'vitest';
import { toGeneratable } from '../../server/src/api/v1/openapi/components.ts';
import { describeCurrent } from '../release/compare-wire.ts';

type Json = Readonly<Record<string, unknown>>;

/** The faults of a document on which generators of typed clients stumble, each with its place. */
function findFaults(document: Json): string[] {
  const faults: string[] = [];
  const visit = (value: unknown, place: string, field: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as Json;
    const isSchema = field !== 'properties';
    // Generators for Java, C# and Go make an untyped value of it.
    if (isSchema && schema['enum'] && schema['type'] === undefined) faults.push(`${place}: enum without type`);
    if (isSchema && 'const' in schema && schema['type'] === undefined) faults.push(`${place}: const without type`);
    // Most generators know only one type, and write null as an alternative.
    if (isSchema && Array.isArray(schema['type'])) faults.push(`${place}: several types`);
    // They ignore it, so that the type has no members.
    if (isSchema && schema['patternProperties']) faults.push(`${place}: patternProperties`);
    for (const [key, inner] of Object.entries(schema)) visit(inner, `${place}/${key}`, key);
  };
  visit(document['paths'], 'paths', '');
  const { schemas = {} } = document['components'] as { schemas?: Json };
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name, '');
  // Types and functions are files in some languages, and files on some systems are the same in upper and lower case.
  const operations = Object.values((document['paths'] ?? {}) as Record<string, Json>).flatMap((path) =>
    Object.values(path),
  );
  const ids = operations.map((operation) => String((operation as Json)['operationId']));
  for (const names of [Object.keys(schemas), ids]) {
    const lower = names.map((name) => name.toLowerCase());
    faults.push(
      ...names.filter((_, index) => lower.indexOf(lower[index] ?? '') !== index).map((name) => `${name}: twice`),
    );
  }
  return faults;
}

const planted = (schema: object) => ({ paths: {}, components: { schemas: { Planted: schema } } });

test('the OpenAPI document of /api/v1 has nothing on which generators stumble', async () => {
  expect(findFaults(await describeCurrent())).toEqual([]);
});

describe('a fault is found:', () => {
  test.each([
    ['enum without type', { enum: ['a'] }],
    ['const without type', { const: 'a' }],
    ['several types', { type: ['string', 'null'] }],
    ['patternProperties', { type: 'object', patternProperties: { '^a': { type: 'string' } } }],
  ])('%s', (fault, schema) => {
    expect(findFaults(planted({ properties: { inner: schema } }))).toEqual([`Planted/properties/inner: ${fault}`]);
  });

  test('names that differ only in upper and lower case', () => {
    expect(findFaults({ paths: {}, components: { schemas: { Drop: {}, DROP: {} } } })).toEqual(['DROP: twice']);
    const paths = { '/a': { get: { operationId: 'getDrop' }, post: { operationId: 'getdrop' } } };
    expect(findFaults({ paths, components: {} })).toEqual(['getdrop: twice']);
  });
});

test('a schema is written as generators expect it, and an example stays as it is', () => {
  const written = toGeneratable({
    example: { enum: ['a'] },
    schema: { enum: ['a'], properties: { enum: { type: 'string' } }, patternProperties: { '^a': { type: 'string' } } },
  });
  expect(written).toEqual({
    example: { enum: ['a'] },
    schema: {
      type: 'string',
      enum: ['a'],
      properties: { enum: { type: 'string' } },
      propertyNames: { pattern: '^a' },
      additionalProperties: { type: 'string' },
    },
  });
});
