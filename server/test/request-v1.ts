import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { v1Document } from '../src/api/v1/openapi/openapi.ts';
import type { Route } from '../src/api/v1/route.ts';
import { routes } from '../src/api/v1/routes.ts';
import { testHost } from './server.ts';

interface Response {
  content?: Record<string, { schema: object }>;
}

export const v1Described = JSON.parse(JSON.stringify(v1Document(routes))) as {
  paths: Record<string, Record<string, { responses: Record<string, Response | { $ref: string }> }>>;
  components: { responses: Record<string, Response> };
};
export const v1Ajv = new Ajv2020({ strict: false, formats: { uuid: true, uri: true, 'date-time': true } });
const validators = new WeakMap<object, ValidateFunction>();

export interface AskV1 {
  readonly key?: string | undefined;
  readonly body?: object;
  readonly headers?: Record<string, string>;
  readonly address?: string;
}

/** Sends a request to /api/v1, and validates its response against the OpenAPI document. */
export async function requestV1(
  server: FastifyInstance,
  method: Route['method'],
  path: string,
  { key, body, headers, address }: AskV1 = {},
) {
  const reply = await server.inject({
    method,
    url: `/api/v1${path}`,
    remoteAddress: address ?? '192.0.2.7',
    headers: { host: testHost, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    // The server frees the bytes of a body, as it may with those that come from a connection.
    ...(body === undefined ? {} : { payload: Buffer.isBuffer(body) ? Buffer.from(body) : body }),
  });
  const route = findRoute(method, path);
  const described = v1Described.paths[`/api/v1${route?.path.replace(/:(\w+)/g, '{$1}')}`]?.[method.toLowerCase()];
  const type = String(reply.headers['content-type']).split(';')[0] as string;
  const response = resolved(described?.responses[reply.statusCode]);
  expect(response, `${method} ${path} returns ${reply.statusCode}: ${reply.body}`).toBeDefined();
  if (reply.body !== '') {
    const schema = response?.content?.[type]?.schema;
    expect(schema, `${method} ${path} returns ${type}`).toBeDefined();
    if (type.endsWith('json')) {
      const validate = compileValidator(schema as object);
      validate(reply.json());
      expect(validate.errors, reply.body).toBeNull();
    }
  }
  return {
    status: reply.statusCode,
    headers: reply.headers,
    text: reply.body,
    bytes: reply.rawPayload,
    json: () => reply.json(),
  };
}

function resolved(response: Response | { $ref: string } | undefined): Response | undefined {
  if (!response || !('$ref' in response)) return response;
  return v1Described.components.responses[response.$ref.replace('#/components/responses/', '')];
}

/** References of the document lead from its root to its components, so the schema becomes a root that has them. */
function compileValidator(schema: object): ValidateFunction {
  const validate = validators.get(schema) ?? v1Ajv.compile({ ...schema, components: v1Described.components });
  validators.set(schema, validate);
  return validate;
}

export function findRoute(method: Route['method'], path: string): Route | undefined {
  const [place = ''] = path.split('?', 1);
  return routes.find((one) => one.method === method && toPattern(one).test(place));
}

function toPattern({ path }: Route): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`);
}
