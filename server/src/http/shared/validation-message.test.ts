import {
  ContactsAddRequest,
  DispatchParameters,
  limits,
  ReceiversSetRequest,
  RemoveFileQuery,
} from '@waybill/protocol';
import { fastify } from 'fastify';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replyWithError } from './json-errors.ts';
import { validatorOptions } from './validation-message.ts';

const app = fastify({ ajv: { customOptions: validatorOptions }, bodyLimit: 10_000_000 });
beforeAll(async () => {
  app.setErrorHandler(replyWithError);
  app.post('/contacts', { schema: { body: ContactsAddRequest } }, async () => 'ok');
  app.post('/receivers', { schema: { body: ReceiversSetRequest } }, async () => 'ok');
  app.post('/dispatch', { schema: { body: DispatchParameters } }, async () => 'ok');
  app.get('/remove', { schema: { querystring: RemoveFileQuery } }, async () => 'ok');
  const body = Type.Object({
    id: Type.Optional(Type.String({ format: 'uuid', description: 'The `id` of an entry.' })),
    at: Type.Optional(Type.String({ format: 'date-time', description: 'When it ends.' })),
    tag: Type.Optional(Type.String({ pattern: '^[a-z]+$', description: 'The tag of an entry.' })),
    state: Type.Optional(Type.Enum(['live', 'revoked'], { description: 'The state of an entry.' })),
  });
  app.post('/v1', { schema: { body } }, async () => 'ok');
  await app.ready();
});
afterAll(() => app.close());

const a = { email: 'a@example.org' };
const long = (length: number) => 'x'.repeat(length);

test.each([
  ['/contacts', {}, 'The body must be a list.'],
  ['/v1', { id: '123' }, '"id" must be an id such as 0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e5f.'],
  ['/v1', { at: 'soon' }, '"at" must be a time such as 2030-01-31T12:00:00Z.'],
  ['/v1', { tag: '1' }, '"tag" is not valid. The tag of an entry.'],
  ['/v1', { state: 'gone' }, '"state" must be one of "live", "revoked".'],
  ['/contacts', [a, 7], 'Entry 2 must be an object.'],
  ['/contacts', [a, {}], 'Entry 2 needs "email".'],
  [
    '/contacts',
    [a, a, { ...a, number: '+46 70' }],
    '"number" in entry 3 must be a telephone number of 7 to 15 digits, with the country code and without + or spaces.',
  ],
  [
    '/contacts',
    [{ ...a, number: true }],
    '"number" in entry 1 must be a telephone number of 7 to 15 digits, with the country code and without + or spaces.',
  ],
  [
    '/contacts',
    [{ ...a, number: 7 }],
    '"number" in entry 1 must be a telephone number of 7 to 15 digits, with the country code and without + or spaces.',
  ],
  ['/contacts', [{ ...a, language: 'Deutsch!' }], '"language" in entry 1 must be a language tag such as en or pt-BR.'],
  ['/contacts', [{ ...a, groups: ['x', ''] }], 'Entry 2 in "groups" in entry 1 must not be empty.'],
  ['/contacts', [{ ...a, groups: Array(51).fill('x') }], '"groups" in entry 1 may have at most 50 entries.'],
  ['/contacts', [{ email: 'a' }], '"email" in entry 1 must have at least 3 characters.'],
  ['/contacts', [{ ...a, nick: long(201) }], '"nick" in entry 1 must have at most 200 characters.'],
  [
    '/contacts',
    [{ ...a, mail: 'x' }],
    'Entry 1 has "mail", which is not a field of this request. Leave it out, or choose from "email", "number", "language", "groups", "nick", and "name".',
  ],
  [
    '/contacts',
    [{ ...a, [long(500)]: 'x' }],
    `Entry 1 has "${long(60)}…", which is not a field of this request. Leave it out, or choose from "email", "number", "language", "groups", "nick", and "name".`,
  ],
  [
    '/receivers',
    Array.from({ length: limits.receiversPerDispatch + 1 }, () => a),
    'The body may have at most 1000 entries.',
  ],
  ['/dispatch', [], 'The body must be an object.'],
  ['/dispatch', { desttime: '7' }, '"desttime" must be a whole number.'],
  ['/dispatch', { desttime: 0 }, '"desttime" must be at least 1.'],
  ['/dispatch', { desttime: 1_000_001 }, '"desttime" must be at most 1000000.'],
  ['/dispatch', { ddmessage: long(20_001) }, '"ddmessage" must have at most 20000 characters.'],
])('%s %j', async (url, body, message) => {
  const response = await app.inject({
    method: 'POST',
    url,
    payload: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  expect(response.json()).toEqual({ status: 'error', code: 'invalid_input', message });
});

test.each([
  ['/remove', 'The query needs "filename".'],
  [`/remove?filename=${long(1025)}`, '"filename" must have at most 1024 characters.'],
])('%s', async (url, message) => {
  expect((await app.inject(url)).json()).toMatchObject({ code: 'invalid_input', message });
});

describe('every rule that a person cannot guess has a description', () => {
  const requests = { ContactsAddRequest, ReceiversSetRequest, DispatchParameters, RemoveFileQuery };

  /**
   * Finds patterns and choices without a description anywhere in a schema. A pattern inside a described choice is not
   * shown.
   */
  function* undescribed(schema: unknown, path: string): Generator<string> {
    if (typeof schema !== 'object' || schema === null) return;
    const { pattern, anyOf, description } = schema as Record<string, unknown>;
    if ((pattern ?? anyOf) !== undefined && description === undefined) yield path;
    for (const [key, value] of Object.entries(schema)) if (key !== 'anyOf') yield* undescribed(value, `${path}.${key}`);
  }

  test.each(Object.entries(requests))('%s', (name, schema) => {
    expect([...undescribed(schema, name)]).toEqual([]);
  });
});
