import { expect, test } from 'vitest';
import { v1Described } from '../../../../test/request-v1.ts';
import { withReferences } from './components.ts';

interface Content {
  content?: Record<string, { schema: { $ref?: string } }>;
}

const operations = Object.values(v1Described.paths).flatMap((methods) => Object.values(methods)) as {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content & { $ref?: string }>;
}[];

test('every body, response and problem has a name, so that generated clients have one type for each', () => {
  expect(operations.length).toBeGreaterThan(50);
  for (const { operationId, requestBody, responses } of operations) {
    const named = [requestBody ?? {}, ...Object.values(responses)].flatMap(({ content = {} }) =>
      Object.entries(content).flatMap(([type, { schema }]) => (type.endsWith('json') ? [schema.$ref] : [])),
    );
    for (const name of named) expect(name, operationId).toMatch(/^#\/components\/schemas\/\w+$/);
    for (const [status, { $ref }] of Object.entries(responses)) {
      if (Number(status) >= 400) expect($ref, operationId).toMatch(/^#\/components\/responses\/\w+$/);
    }
  }
});

test('nothing has two names', () => {
  const schemas = { Drop: { type: 'object' }, Request: { type: 'object' } };
  expect(() => withReferences({}, { schemas })).toThrow('schemas/Request is the same as #/components/schemas/Drop');
});
