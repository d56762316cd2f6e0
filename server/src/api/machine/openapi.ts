import { type ErrorCode, errors } from '@waybill/protocol';
import { version } from '../../config/version.ts';
import { describeOperation, describePaths, failures, frame } from '../shared/openapi.ts';
import type { Route } from './route.ts';

/** The errors that are possible before an operation begins. */
export const everywhere: readonly ErrorCode[] = [
  'malformed_request',
  'unauthorized',
  'network_not_allowed',
  'wrong_account',
  'cross_site',
  'request_timeout',
  'unsupported_media_type',
  'wrong_host',
  'too_many_requests',
  'headers_too_large',
  'internal',
  'unavailable',
];

const user = {
  name: 'user',
  in: 'path',
  required: true,
  description: 'The account’s address, in lower case.',
  schema: { type: 'string' },
};

/** The whole machine API as an OpenAPI 3.1 document, from its table of routes. */
export function openapiDocument(routes: readonly Route[]) {
  return {
    ...frame({
      title: 'Waybill: the machine API',
      version,
      description: 'Send files to receivers, and fetch what was sent to this account.',
    }),
    paths: describePaths('/:user', routes, describeRoute, { parameters: [user] }),
    components: {
      securitySchemes: {
        account: { type: 'http', scheme: 'basic', description: 'The account’s address and one of its API keys.' },
        token: { type: 'apiKey', in: 'header', name: 'CSRF-Token', description: 'The token from the index page.' },
      },
    },
  };
}

/** Lists every error that an operation can have. */
export function listErrors(route: Route): ErrorCode[] {
  return [...everywhere, ...(needsToken(route) ? (['csrf_rejected'] as const) : []), ...route.errors];
}

export function needsToken({ authentication }: Route): boolean {
  return authentication === 'account+csrf';
}

function describeRoute(route: Route) {
  const { method, headers = [], form } = route;
  return describeOperation(route, {
    members: { security: [needsToken(route) ? { account: [], token: [] } : { account: [] }] },
    headers,
    requestBody: form && { required: true, content: { 'multipart/form-data': { schema: form } } },
    failures: failures(listErrors(route), errors, method === 'HEAD' ? () => ({}) : withBody),
  });
}

function withBody(codes: ErrorCode[]): object {
  const schema = {
    type: 'object',
    required: ['status', 'code', 'message'],
    additionalProperties: false,
    properties: { status: { const: 'error' }, code: { enum: codes }, message: { type: 'string' } },
  };
  return { content: { 'application/json': { schema } } };
}
