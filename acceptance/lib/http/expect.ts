import { expect } from 'vitest';
import { type HttpResponse, header, json, text } from './response.ts';

/**
 * docs/api.md#headers-of-every-response, except for Content-Type and the content of the policy, which differ per
 * operation.
 */
export function assertCommonHeaders(response: HttpResponse): void {
  expect(header(response, 'Cache-Control')).toBe('no-cache, no-store, must-revalidate');
  expect(header(response, 'Expires')).toBe('0');
  expect(header(response, 'Pragma')).toBe('no-cache');
  expect(header(response, 'Strict-Transport-Security')).toMatch(/^max-age=\d+/);
  expect(header(response, 'Content-Security-Policy')).toMatch(/default-src/);
  expect(header(response, 'X-Frame-Options')).toBe('SAMEORIGIN');
  expect(header(response, 'X-Content-Type-Options')).toBe('nosniff');
  expect(header(response, 'X-XSS-Protection')).toMatch(/^[01]/);
}

/** A success with a JSON body of exactly this content. */
export function assertJson(response: HttpResponse, body: unknown): void {
  expect({ status: response.status, body: text(response) }).toEqual({ status: 200, body: expect.any(String) });
  expect(json(response)).toEqual(body);
  expect(header(response, 'Content-Type')).toBe('application/json; charset=utf-8');
  assertCommonHeaders(response);
}

export function assertStatus(response: HttpResponse, status: 'ok' | 'done' | 'deldone'): void {
  assertJson(response, { status });
}

/** Every failure has this form, whatever caused it. Lists are used if the contract leaves a choice. */
export function assertErrorResponse(response: HttpResponse, status: number | number[], code: string | string[]): void {
  // A single comparison of all three, so that a failure shows the actual response.
  const got = { status: response.status, body: text(response) };
  expect([status].flat(), JSON.stringify(got)).toContain(response.status);
  const body = json<Record<string, unknown>>(response);
  expect(Object.keys(body).sort(), JSON.stringify(got)).toEqual(['code', 'message', 'status']);
  expect(body['status']).toBe('error');
  expect([code].flat(), JSON.stringify(got)).toContain(body['code']);
  expect(body['message']).toMatch(/\S/);
  assertNothingOfTheInside(String(body['message']));
  expect(header(response, 'Content-Type')).toBe('application/json; charset=utf-8');
  assertCommonHeaders(response);
  if (response.status === 401) expect(header(response, 'WWW-Authenticate')).toMatch(/^Basic realm="[^"]+"/);
  if (response.status === 405) expect(header(response, 'Allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  if (response.status === 429 || response.status === 503) expect(header(response, 'Retry-After')).toMatch(/^[1-9]\d*$/);
}

function assertNothingOfTheInside(message: string): void {
  expect(message).not.toMatch(
    /\bat\s+\S+\s*\(|\.(?:ts|js):\d+|node_modules|node:internal|Error:|\bselect\b|\binsert\b/i,
  );
}
