import { type ErrorSurface, errorCodes, errors } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { openapiDocument } from '../../api/machine/openapi.ts';
import { routes as cgiRoutes } from '../../api/machine/routes.ts';
import { possibleErrors } from '../../api/v1/openapi/openapi.ts';
import { routes } from '../../api/v1/routes.ts';
import { toErrorBody } from './json-errors.ts';

/** The statuses that documentation and clients rely on. */
const documented: Record<number, string[]> = {
  400: ['invalid_input', 'invalid_name', 'malformed_request'],
  401: ['sign_in_failed', 'sign_in_required', 'unauthorized'],
  403: [
    'code_expired',
    'code_required',
    'cross_site',
    'csrf_rejected',
    'form_expired',
    'network_not_allowed',
    'passphrase_required',
    'recipient_not_allowed',
    'role_missing',
    'scope_missing',
    'wrong_account',
    'wrong_code',
    'wrong_passphrase',
  ],
  404: ['link_not_opened', 'not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: [
    'contact_exists',
    'file_list_not_initialized',
    'files_not_ready',
    'idempotency_key_reused',
    'lease_not_held',
    'no_files',
    'no_receivers',
    'not_parked',
    'request_in_flight',
    'too_many_files',
    'too_many_keys',
    'too_many_webhooks',
    'unknown_contact',
    'upload_superseded',
  ],
  410: ['cursor_expired', 'link_ended', 'link_revoked', 'receipt_unavailable', 'upload_worn_out'],
  412: ['precondition_failed'],
  413: ['too_large', 'too_large_to_scan'],
  415: ['unsupported_media_type'],
  416: ['range_not_satisfiable'],
  421: ['wrong_host'],
  422: ['digest_mismatch', 'encrypted', 'infected'],
  429: ['daily_limit', 'too_many_codes', 'too_many_messages', 'too_many_requests', 'too_many_transfers'],
  431: ['headers_too_large'],
  500: ['damaged', 'internal'],
  503: ['receipt_not_ready', 'unavailable'],
  507: ['storage_full'],
};

test('every code has its documented status, and no other code has one', () => {
  const byStatus = Map.groupBy(errorCodes, (code) => errors[code].status);
  const found = [...byStatus].map(([status, codes]) => [status, codes.toSorted()]);
  expect(Object.fromEntries(found)).toEqual(documented);
});

describe('the surfaces of a code are those whose operations describe it', () => {
  /** Responses to paths and methods that no operation has. */
  const unrouted = ['not_found', 'method_not_allowed'];
  const codesOn = (surface: ErrorSurface) => errorCodes.filter((code) => errors[code].surfaces.includes(surface));

  test('the machine API', () => {
    const described = JSON.stringify(openapiDocument(cgiRoutes)).matchAll(/"code":\{"enum":\[([^\]]+)\]/g);
    const codes = [...described].flatMap(([, list]) => JSON.parse(`[${list}]`) as string[]);
    expect(new Set(codesOn('api'))).toEqual(new Set([...codes, ...unrouted]));
  });

  test('/api/v1', () => {
    expect(new Set<string>(codesOn('v1'))).toEqual(new Set([...possibleErrors(routes), ...unrouted]));
  });

  test('no code is without a surface', () => {
    expect(errorCodes.filter((code) => errors[code].surfaces.length === 0)).toEqual([]);
  });
});

describe('messages', () => {
  test.each(errorCodes)('%s says in a sentence what to do', (code) => {
    const { message } = errors[code];
    expect(message).toMatch(/^[A-Z].*\.$/s);
    expect(message.length).toBeGreaterThan(20);
  });

  test('the body is the documented one', () => {
    expect(toErrorBody('not_found', 'Nothing.')).toEqual({ status: 'error', code: 'not_found', message: 'Nothing.' });
  });
});
