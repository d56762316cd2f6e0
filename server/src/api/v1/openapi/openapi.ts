import { type ErrorCode, limits } from '@waybill/protocol';
import { AccountEvent, pageParameters, scopes, WebhookTestEvent } from '@waybill/protocol/v1';
import {
  commonHeaders,
  describeOperation,
  describePaths,
  failures,
  frame,
  ifRangeHeader,
  rangeHeader,
  retryAfter,
  text,
  toParameter,
  toParameters,
} from '../../shared/openapi.ts';
import { describeDeprecation } from '../deprecation.ts';
import { etagHeader, ifMatchHeader, ifNoneMatchHeader } from '../etag.ts';
import { v1Errors } from '../problems.ts';
import { type BytesDescription, describeRights, type Route, toEnforcedInput } from '../route.ts';
import { namedSchemas, problemSchemas, problemWith, toGeneratable, toName, withReferences } from './components.ts';
import { recordedExamples } from './recorded-examples.ts';

/** The errors that are possible before an operation begins. */
export const everywhere: readonly ErrorCode[] = [
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
  description: 'A request with the same key and the same content gets the first response, for 7 days.',
  schema: { type: 'string', minLength: 1, maxLength: limits.idempotencyKeyLength },
};

const rateLimits = {
  'RateLimit-Policy': text('The limits that apply: how many (`q`) in how many seconds (`w`).'),
  RateLimit: text('What is left of them (`r`), and for how many seconds (`t`).'),
};

/** The parameters and headers of many operations, by their names in the document. */
const shared = {
  parameters: {
    Limit: toParameter('limit', pageParameters.limit, 'query'),
    Cursor: toParameter('cursor', pageParameters.cursor, 'query'),
    IdempotencyKey: idempotencyKey,
    IfMatch: ifMatchHeader,
    IfNoneMatch: ifNoneMatchHeader,
    Range: rangeHeader,
    IfRange: ifRangeHeader,
  },
  headers: {
    RequestId: commonHeaders['X-Request-Id'],
    RetryAfter: retryAfter,
    RateLimitPolicy: rateLimits['RateLimit-Policy'],
    RateLimit: rateLimits.RateLimit,
    ETag: etagHeader,
  },
};

/** The errors that are possible before an operation about a link begins. It has no key that could be limited to networks. */
export const everywhereWithLink = everywhere.filter((code) => code !== 'network_not_allowed');

/** Whether the operation sends something, which may have daily limits. */
export function isLimitedByDay({ errors }: Route): boolean {
  return errors.includes('daily_limit');
}

/** Whether a repetition of the operation with the same Idempotency-Key gets the first response. */
export function isRepeatable({ method, changesNothing, access }: Route): boolean {
  return method === 'POST' && !changesNothing && access === undefined;
}

/** Whether the operation changes something that has a version already. */
function changesVersion({ method, params, isVersioned }: Route): boolean {
  return isVersioned === true && method !== 'GET' && params !== undefined;
}

/** Describes all of /api/v1, from its table of routes. */
export function v1Document(routes: readonly Route[]) {
  const paths = describePaths('/api/v1', routes, describeRoute);
  const about = frame({
    title: 'Waybill: API version 1',
    version: '1.0.0',
    description: 'Send files, ask for files, and fetch what was sent to the account.',
  });
  const described = withReferences(
    { ...about, security: [{ key: [] }], paths, webhooks: describeWebhooks() },
    {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: `An API key. Its scopes: ${scopes.join(', ')}.` },
        link: { type: 'http', scheme: 'bearer', description: 'The session of a link that was opened with `openLink`.' },
      },
      schemas: { ...namedSchemas, ...problemSchemas(possibleErrors(routes)) },
      responses: Object.fromEntries(routes.flatMap(listRefusals)),
      ...shared,
    },
  );
  return toGeneratable(described);
}

const deprecationHeaderTexts = {
  Deprecation: text('Since when what the request uses is deprecated (RFC 9745).'),
  Sunset: text('From when it may be gone (RFC 8594).'),
  Link: text('Where this is explained.'),
};

const signedHeaders = {
  'webhook-id': 'The `id` of the event: the same for every attempt and every replay.',
  'webhook-timestamp': 'When this attempt was made, in seconds since 1970.',
  'webhook-signature':
    'Signatures of `id.timestamp.body`, separated by spaces: `v1,` with HMAC-SHA-256 under the secret, `v1a,` with Ed25519.',
};

/** Describes the requests that a receiver of events gets. */
function describeWebhooks() {
  return {
    event: {
      post: {
        operationId: 'receiveEvent',
        summary: 'Receive an event',
        description:
          'Sent to each webhook that wants events of this type, signed as Standard Webhooks 1.0.0 specifies. An event may arrive more than once, and out of order.',
        security: [],
        parameters: Object.entries(signedHeaders).map(([name, description]) => {
          return { name, in: 'header', required: true, description, schema: { type: 'string' } };
        }),
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: { anyOf: [AccountEvent, WebhookTestEvent] },
              example: recordedExamples['receiveEvent']?.request,
            },
          },
        },
        responses: {
          '2XX': { description: 'The event is delivered. Respond within 15 seconds.' },
          '410': { description: 'The webhook is disabled.' },
          ...Object.fromEntries(
            ['429', '503'].map((status) => [
              status,
              { description: 'With `Retry-After`: nothing is sent for that time, and for an hour at most.' },
            ]),
          ),
          default: { description: 'The event is sent again later, as for every other response and for none.' },
        },
      },
    },
  };
}

/** Lists every error that an operation can have. */
export function listErrors(route: Route): ErrorCode[] {
  const { scope, access, linkType, stream, errors } = route;
  const { body } = toEnforcedInput(route);
  const all: ErrorCode[] = [
    ...(access ? everywhereWithLink : everywhere).filter((code) => access !== 'link' || code !== 'unauthorized'),
    ...(access === 'link-program' ? (['passphrase_required', 'code_required'] as const) : []),
    ...(scope ? (['scope_missing'] as const) : []),
    'invalid_input',
    ...(body || stream?.mediaTypes ? ofBodies : []),
    ...(isRepeatable(route) ? ofRepetitions : []),
    ...(changesVersion(route) ? (['precondition_failed'] as const) : []),
    // An operation that the link's kind does not have.
    ...(linkType ? (['not_found'] as const) : []),
    ...errors,
  ];
  return [...new Set(all)];
}

/** Lists every error that any of the operations can have. */
export function possibleErrors(routes: readonly Route[]): ErrorCode[] {
  return [...new Set(routes.flatMap(listErrors))];
}

/** Describes errors by status, with the codes that each can have. */
function refusals(codes: readonly ErrorCode[]) {
  return failures(
    codes,
    v1Errors,
    (possible) => ({ content: { 'application/problem+json': { schema: problemWith(possible) } } }),
    (status) => (status === '401' || status === '429' ? rateLimits : {}),
  );
}

function listRefusals(route: Route): [name: string, response: object][] {
  const byStatus = Map.groupBy(listErrors(route), (code) => v1Errors[code].status);
  return [...byStatus].map(([status, codes]) => [toName(codes), refusals(codes)[status] as object]);
}

function describeRoute(route: Route) {
  const { otherResponse, method, isVersioned, stream, deprecations = [] } = route;
  const whole = deprecations.find(({ parameter }) => parameter === undefined);
  const access = describeAccess(route);
  const described = describeOperation(route, {
    members: whole
      ? { ...access, description: `${access.description} ${describeDeprecation(whole)}`, deprecated: true }
      : access,
    headers: [
      ...toParameters(stream?.headers, 'header'),
      ...(isRepeatable(route) ? [idempotencyKey] : []),
      ...(changesVersion(route) ? [ifMatchHeader] : []),
      ...(isVersioned && method === 'PUT' ? [ifNoneMatchHeader] : []),
    ],
    requestBody: stream?.mediaTypes && { content: bytesIn(stream) },
    responseHeaders: {
      ...(isVersioned ? { ETag: etagHeader } : {}),
      ...(deprecations.length > 0 ? deprecationHeaderTexts : {}),
      ...(isLimitedByDay(route) ? rateLimits : {}),
    },
    otherResponse,
    examplePath: recordedExamples[route.id]?.path,
    failures: refusals(listErrors(route)),
  });
  const markParameter = (one: object & { name?: string; description?: string }) => {
    const found = deprecations.find(({ parameter }) => parameter !== undefined && parameter === one.name);
    if (!found) return one;
    return { ...one, description: `${one.description ?? ''} ${describeDeprecation(found)}`.trim(), deprecated: true };
  };
  return { ...described, parameters: described.parameters.map(markParameter) };
}

function describeAccess(route: Route) {
  const { access, linkType } = route;
  if (access === undefined) return { description: describeRights(route) };
  if (access === 'link') return { description: 'Needs no key. The secret of the link is in the body.', security: [] };
  const kind = linkType && (linkType === 'downloadfiles' ? 'a download link' : 'an upload link');
  const needed = `Needs the session of ${kind ?? 'a link'}, not a key.`;
  const code = access === 'link-program-pending' ? ' A code need not have been entered.' : '';
  return { description: `${needed}${code}`, security: [{ link: [] }] };
}

/** The first type needs no protocol, because generated clients use it by default. */
function bytesIn({ mediaTypes = [], anyTypeBytes }: BytesDescription) {
  const types = [...(anyTypeBytes === undefined ? [] : ['application/octet-stream']), ...mediaTypes];
  return Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
}
