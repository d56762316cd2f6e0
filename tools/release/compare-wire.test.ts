import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeCurrent, findBreakingChanges, readReleased } from './compare-wire.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the mutations reach anywhere into a document
type Any = any;
const current = await describeCurrent();
const mutate = (change: (document: Any) => void) => {
  const changed = structuredClone(current) as Any;
  change(changed);
  expect(changed, 'the mutation changes something').not.toEqual(current);
  return findBreakingChanges(current, changed);
};
const schema = (document: Any, name: string) => document.components.schemas[name];
const drops = (document: Any) => document.paths['/api/v1/drops'];
const listParameter = (document: Any, name: string) =>
  drops(document).get.parameters.find((one: Any) => one.name === name);

test('what this version changes on the wire since the last release is compatible, or in docs/wire-changes.md', () => {
  const released = readReleased();
  const text = readFileSync(new URL('../../docs/wire-changes.md', import.meta.url), 'utf8');
  const missing = released
    ? findBreakingChanges(released, current).filter((change) => !text.includes(`\`${change}\``))
    : [];
  expect(missing, 'breaks programs of version 1: undo it, or list it in docs/wire-changes.md as it is here').toEqual(
    [],
  );
});

test('a document breaks nothing of itself', () => {
  expect(findBreakingChanges(current, current)).toEqual([]);
});

describe('a breaking change is found:', () => {
  test.each<[string, RegExp, (document: Any) => void]>([
    ['an operation is gone', /drops.*: get is gone/, (d) => delete drops(d).get],
    ['a path is gone', /inbox\/claim is gone/, (d) => delete d.paths['/api/v1/inbox/claim']],
    ['an operation has another name', /operationId/, (d) => (drops(d).get.operationId = 'readDrops')],
    ['an operation needs a scope', /scope/, (d) => (drops(d).get.description = 'Needs the scope `admin`.')],
    ['a webhook is gone', /event is gone/, (d) => delete d.webhooks.event],
    [
      'a parameter is gone',
      /receiver_email is gone/,
      (d) => (drops(d).get.parameters = drops(d).get.parameters.filter((one: Any) => one.name !== 'receiver_email')),
    ],
    ['a parameter is required', /is required/, (d) => (listParameter(d, 'search').required = true)],
    [
      'a new parameter is required',
      /new and required/,
      (d) => drops(d).get.parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
    ],
    ['a parameter has a lower limit', /narrower maxLength/, (d) => (listParameter(d, 'search').schema.maxLength = 3)],
    [
      'a parameter accepts fewer values',
      /no longer accepts revoked/,
      (d) => listParameter(d, 'state').schema.enum.pop(),
    ],
    ['a body is gone', /application\/json is gone/, (d) => delete drops(d).post.requestBody],
    [
      'a body becomes required',
      /requires its body/,
      (d) => (d.paths['/api/v1/inbox/claim'].post.requestBody.required = true),
    ],
    ['a field of a request is gone', /NewDrop: message is gone/, (d) => delete schema(d, 'NewDrop').properties.message],
    [
      'a field of a request is required',
      /NewDrop: message is required/,
      (d) => schema(d, 'NewDrop').required.push('message'),
    ],
    [
      'a field of a request has another type',
      /message: has another type/,
      (d) => (schema(d, 'NewDrop').properties.message.type = 'integer'),
    ],
    [
      'a field of a request has a lower limit',
      /message: has a narrower maxLength/,
      (d) => (schema(d, 'NewDrop').properties.message.maxLength = 1),
    ],
    [
      'a list of a request may be shorter',
      /narrower maxItems/,
      (d) => (schema(d, 'NewDrop').properties.receivers.maxItems = 1),
    ],
    [
      'a list of a request must be longer',
      /narrower minItems/,
      (d) => (schema(d, 'NewDrop').properties.receivers.minItems = 2),
    ],
    [
      'a number of a request may be smaller',
      /narrower maximum/,
      (d) => (schema(d, 'ClaimInput').properties.max.maximum = 1),
    ],
    [
      'a text of a request has a pattern',
      /another pattern/,
      (d) => (schema(d, 'NewDrop').properties.message.pattern = '^a'),
    ],
    [
      'a field of a request accepts fewer values',
      /no longer accepts sms/,
      (d) => schema(d, 'NewDrop').properties.second_factor.enum.pop(),
    ],
    [
      'a field of a request accepts only some values',
      /accepts only some/,
      (d) => (schema(d, 'NewDrop').properties.message.enum = ['a']),
    ],
    ['a field of a response is gone', /Drop: reference is gone/, (d) => delete schema(d, 'Drop').properties.reference],
    [
      'a field of a response may be missing',
      /Drop: reference may be missing/,
      (d) => (schema(d, 'Drop').required = schema(d, 'Drop').required.filter((name: string) => name !== 'reference')),
    ],
    [
      'a field of a response has another type',
      /reference: has another type/,
      (d) => (schema(d, 'Drop').properties.reference.type = 'integer'),
    ],
    [
      'a field of a response may be null',
      /reference: has another type/,
      (d) => (schema(d, 'Drop').properties.reference = { anyOf: [{ type: 'string' }, { type: 'null' }] }),
    ],
    [
      'a field of a response has a new value',
      /state: may be lost/,
      (d) => schema(d, 'Drop').properties.state.enum.push('lost'),
    ],
    ['a field of a response has any value', /may be any value/, (d) => delete schema(d, 'Drop').properties.state.enum],
    ['a response is gone', /201 is gone/, (d) => delete drops(d).post.responses['201']],
    [
      'a success has another status',
      /also responds with 202/,
      (d) => (drops(d).post.responses['202'] = { description: '' }),
    ],
    ['a header of a response is gone', /ETag is gone/, (d) => delete drops(d).post.responses['201'].headers.ETag],
    ['a schema is gone', /schema: Drop is gone/, (d) => delete d.components.schemas.Drop],
    [
      'a type of event is gone',
      /drop\.opened is gone/,
      (d) =>
        (schema(d, 'AccountEvent').anyOf = schema(d, 'AccountEvent').anyOf.filter(
          (one: Any) => !one.$ref.endsWith('/DropOpenedEvent'),
        )),
    ],
    [
      'a type of event has another name',
      /drop\.opened is gone/,
      (d) => (schema(d, 'DropOpenedEvent').properties.type.const = 'drop.seen'),
    ],
  ])('%s', (_name, expected, change) => {
    expect(mutate(change).join('\n')).toMatch(expected);
  });
});

describe('a compatible change is none:', () => {
  test.each<[string, (document: Any) => void]>([
    ['a new operation', (d) => (d.paths['/api/v1/new'] = { get: drops(d).get })],
    ['a new schema', (d) => (d.components.schemas.New = { type: 'object' })],
    ['a new optional parameter', (d) => drops(d).get.parameters.push({ name: 'x', in: 'query', schema: {} })],
    ['a parameter with a higher limit', (d) => (listParameter(d, 'search').schema.maxLength = 9999)],
    ['a new optional field of a request', (d) => (schema(d, 'NewDrop').properties.x = { type: 'string' })],
    ['a field of a request that is no longer required', (d) => (schema(d, 'NewDrop').required = [])],
    ['a new value in a request', (d) => schema(d, 'NewDrop').properties.second_factor.enum.push('app')],
    ['a higher limit of a request', (d) => (schema(d, 'NewDrop').properties.receivers.maxItems = 99_999)],
    [
      'a new field of a response',
      (d) => {
        schema(d, 'Drop').properties.x = { type: 'string' };
        schema(d, 'Drop').required.push('x');
      },
    ],
    ['a field of a response that has fewer values', (d) => schema(d, 'Drop').properties.state.enum.pop()],
    [
      'a new type of event',
      (d) => {
        schema(d, 'AccountEvent').anyOf.push({ type: 'object', properties: { type: { const: 'drop.lost' } } });
      },
    ],
    ['a new header of a response', (d) => (drops(d).post.responses['201'].headers.X = {})],
    ['another description', (d) => (schema(d, 'Drop').properties.state.description = 'x')],
    ['a code of a problem', (d) => schema(d, 'ErrorCode').enum.push('new_code')],
    ['a deprecation', (d) => (drops(d).get.deprecated = true)],
    [
      'an optional body',
      (d) =>
        (d.paths['/api/v1/inbox/{id}/release'].post.requestBody = { content: { 'application/json': { schema: {} } } }),
    ],
  ])('%s', (_name, change) => {
    expect(mutate(change)).toEqual([]);
  });
});
