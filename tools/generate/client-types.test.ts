import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type * as client from '../../client/src/generated/wire.ts';
import * as v1 from '../../protocol/src/v1/index.ts';
import { v1Document } from '../../server/src/api/v1/openapi/openapi.ts';
import { routes } from '../../server/src/api/v1/routes.ts';
import { renderClientCopy, renderClientErrors, renderClientTypes } from './client-types.ts';

test('the client’s types are those of the OpenAPI document', () => {
  const written = readFileSync(new URL('../../client/src/generated/wire.ts', import.meta.url), 'utf8');
  expect(written, 'run npm run generate').toBe(renderClientTypes());
});

test('the client retries the errors that the protocol says are retryable', () => {
  const written = readFileSync(new URL('../../client/src/generated/errors.ts', import.meta.url), 'utf8');
  expect(written, 'run npm run generate').toBe(renderClientErrors());
});

test.each(['safe-name.ts', 'csv.ts'] as const)('the client has the %s of the protocol', (name) => {
  const written = readFileSync(new URL(`../../client/src/generated/${name}`, import.meta.url), 'utf8');
  expect(written, 'run npm run generate').toBe(renderClientCopy(name));
});

test('they are the same types as the protocol’s', () => {
  // Checked by the compiler.
  expectTypeOf<client.NewDrop>().toEqualTypeOf<v1.NewDrop>();
  expectTypeOf<client.ApiKey>().toEqualTypeOf<v1.ApiKey>();
  expectTypeOf<client.Upload>().toEqualTypeOf<v1.Upload>();
  expectTypeOf<client.InboxEntryDetails>().toEqualTypeOf<v1.InboxEntryDetails>();
  expectTypeOf<client.ImportedContact>().toEqualTypeOf<v1.ImportedContact>();
  expectTypeOf<client.NewFileRequest>().toEqualTypeOf<v1.NewFileRequest>();
});

test('every schema of a body has the same name in the protocol, in the OpenAPI document and in the client', () => {
  const { components } = v1Document(routes) as unknown as { components: { schemas: object } };
  const declared = [...renderClientTypes().matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  const exported = Object.keys(v1).filter((name) => /^[A-Z]/.test(name) && !/(?:Query|Params|Headers)$/.test(name));
  // These two are made of others.
  const schemas = exported.filter((name) => name !== 'Page' && name !== 'Nullable');
  expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(schemas));
  expect(declared).toEqual(expect.arrayContaining(Object.keys(components.schemas)));
});
