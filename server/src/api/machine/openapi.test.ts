import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { openapiDocument } from './openapi.ts';
import { routes } from './routes.ts';

interface Described {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema?: object }> };
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

/** As a client receives it. */
const document = JSON.parse(JSON.stringify(openapiDocument(routes))) as {
  info: { version: string };
  paths: Record<string, Record<string, Described> & { parameters: { name: string }[] }>;
};
const operations = Object.entries(document.paths).flatMap(([path, { parameters, ...methods }]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, shared: parameters })),
);

test('every operation of docs/api.md is described, and no other', () => {
  const api = readFileSync(new URL('../../../../docs/api.md', import.meta.url), 'utf8');
  const documented = [...api.matchAll(/^\| \d+ \| \[[^\]]+\]\([^)]+\) \| (GET or HEAD|GET|POST) (.*) \|$/gm)].flatMap(
    ([, methods = '', where = '']) => {
      const path = where.startsWith('(')
        ? '/{user}/'
        : `/{user}/${where.replaceAll('`', '').replace(/\?.*/, '').replace('<inbox url>', '{inbox}').replace('<file name>', '{name}')}`;
      return methods.split(' or ').map((method) => `${method.toLowerCase()} ${path}`);
    },
  );
  expect(documented).toHaveLength(14);
  expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(documented.toSorted());
});

test('every parameter of a path is described, and every operation has a name of its own', () => {
  for (const { path, operation, shared } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = [...shared, ...operation.parameters.filter((parameter) => parameter.in === 'path')];
    expect(described.map(({ name }) => name)).toEqual(inPath);
  }
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

test('every schema is one', () => {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, formats: { binary: true } });
  const contents = operations.flatMap(({ operation: { requestBody, responses } }) => [
    ...Object.values(requestBody?.content ?? {}),
    ...Object.values(responses).flatMap(({ content }) => Object.values(content ?? {})),
  ]);
  const schemas = contents.flatMap(({ schema }) => (schema ? [schema] : []));
  expect(schemas.length).toBeGreaterThan(50);
  for (const schema of schemas) expect(() => ajv.compile(schema)).not.toThrow();
});

test('the bytes of files are described as bytes', () => {
  const schemas = new Map(operations.map(({ operation }) => [operation.operationId, operation]));
  const form = schemas.get('upload')?.requestBody?.content['multipart/form-data']?.schema;
  const binary = { type: 'string', format: 'binary' };
  expect(form).toMatchObject({ properties: { file: { type: 'array', items: binary } } });
  for (const status of ['200', '206']) {
    const content = schemas.get('download')?.responses[status]?.content;
    expect(content?.['application/octet-stream']).toMatchObject({ schema: binary });
  }
});

test('it has the version of the program', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(document.info.version).toBe(manifest.version);
});
