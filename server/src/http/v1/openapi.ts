import { type ErrorCode, limits, Problem, scopes } from '@waybill/protocol';
import type { TSchema } from 'typebox';
import { commonHeaders, failures, frame, inRanges, rangeHeaders, text } from '../shared/openapi.ts';
import { etagHeader, ifMatchHeader, ifNoneMatchHeader } from './etag.ts';
import { v1Messages, v1StatusOf } from './problems.ts';
import type { Route, Stream } from './route.ts';

/** The errors that are possible before an operation begins. */
const everywhere: readonly ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'network_not_allowed',
  'request_timeout',
  'wrong_host',
  'too_many_requests',
  'headers_too_large',
  'internal',
  'unavailable',
];
const ofBodies: readonly ErrorCode[] = ['unsupported_media_type', 'too_large'];
const ofRepetitions: readonly ErrorCode[] = ['idempotency_key_reused', 'request_in_flight'];

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'A request with the same key and the same content is answered with the first answer, for 7 days.',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength },
};

const rateLimits = {
  'RateLimit-Policy': text('The limits that apply: how many (`q`) in how many seconds (`w`).'),
  RateLimit: text('What is left of them (`r`), and for how many seconds (`t`).'),
};

/** Whether it counts as sending, which may be limited by the day. */
export function isLimitedByDay({ errors }: Route): boolean {
  return errors.includes('daily_limit');
}

/** The whole of /api/v1, from its table of routes. */
export function v1Document(routes: readonly Route[]) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = `/api/v1${route.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: described(route) };
  }
  return {
    ...frame({
      title: 'Waybill: API version 1',
      version: '1.0.0',
      description: 'Send files, ask for files, and fetch what was sent to the account.',
    }),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: `An API key. Its scopes: ${scopes.join(', ')}.` },
      },
    },
  };
}

/** Every error that an operation can have. */
export function errorsOf({ method, scope, params, query, body, stream, isVersioned, errors }: Route): ErrorCode[] {
  return [
    ...everywhere,
    ...(scope === null ? [] : (['scope_missing'] as const)),
    ...(params || query || body ? (['invalid_input'] as const) : []),
    ...(body || stream?.mediaTypes ? ofBodies : []),
    ...(method === 'POST' ? ofRepetitions : []),
    ...(isVersioned && method !== 'GET' ? (['precondition_failed'] as const) : []),
    ...errors,
  ];
}

function described(route: Route) {
  const { id, summary, scope, params, query, body, answer, otherAnswer, method, isVersioned, stream } = route;
  return {
    operationId: id,
    summary,
    description: scope === null ? 'Any key will do.' : `Needs the scope \`${scope}\`.`,
    parameters: [
      ...parametersOf(params, 'path'),
      ...parametersOf(query, 'query'),
      ...parametersOf(stream?.headers, 'header'),
      ...(method === 'POST' ? [idempotencyKey] : []),
      ...(isVersioned && method !== 'GET' ? [ifMatchHeader] : []),
      ...(isVersioned && method === 'PUT' ? [ifNoneMatchHeader] : []),
      ...(answer.bytes ? rangeHeaders : []),
    ],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    ...(stream?.mediaTypes ? { requestBody: { content: bytesIn(stream) } } : {}),
    responses: {
      ...(answer.bytes
        ? inRanges(answer.description, answer.bytes, method)
        : {
            [answer.status]: success(answer, {
              ...(isVersioned ? { ETag: etagHeader } : {}),
              ...(isLimitedByDay(route) ? rateLimits : {}),
            }),
          }),
      ...(otherAnswer ? { [otherAnswer.status]: success(otherAnswer) } : {}),
      ...failures(
        errorsOf(route),
        v1StatusOf,
        v1Messages,
        (codes) => ({ content: { 'application/problem+json': { schema: Problem(codes) } } }),
        (status) => (status === '401' || status === '429' ? rateLimits : {}),
      ),
    },
  };
}

function success({ description, schema, headers: own }: Route['answer'], headers: object = {}) {
  return {
    description,
    headers: { ...commonHeaders, ...headers, ...textsOf(own) },
    ...(schema ? { content: { 'application/json': { schema } } } : {}),
  };
}

/** Generated clients send the first type unless they are told otherwise, so it is the one that needs no protocol. */
function bytesIn({ mediaTypes = [], anyTypeBytes }: Stream) {
  const types = [...(anyTypeBytes === undefined ? [] : ['application/octet-stream']), ...mediaTypes];
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
}

function textsOf(headers: Readonly<Record<string, string>> = {}) {
  return Object.fromEntries(Object.entries(headers).map(([name, about]) => [name, text(about)]));
}

function parametersOf(schema: TSchema | undefined, place: 'path' | 'query' | 'header') {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}
