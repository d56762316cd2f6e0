import { expect } from 'vitest';
import { type Answer, header, json, text } from './response.ts';

/**
 * docs/api.md#headers-of-every-response, except for Content-Type and the content of the policy, which differ per
 * operation.
 */
export function assertCommonHeaders(answer: Answer): void {
  expect(header(answer, 'Cache-Control')).toBe('no-cache, no-store, must-revalidate');
  expect(header(answer, 'Expires')).toBe('0');
  expect(header(answer, 'Pragma')).toBe('no-cache');
  expect(header(answer, 'Strict-Transport-Security')).toMatch(/^max-age=\d+/);
  expect(header(answer, 'Content-Security-Policy')).toMatch(/default-src/);
  expect(header(answer, 'X-Frame-Options')).toBe('SAMEORIGIN');
  expect(header(answer, 'X-Content-Type-Options')).toBe('nosniff');
  expect(header(answer, 'X-XSS-Protection')).toMatch(/^[01]/);
}

/** A success with a JSON body of exactly this content. */
export function assertJson(answer: Answer, body: unknown): void {
  expect({ status: answer.status, body: text(answer) }).toEqual({ status: 200, body: expect.any(String) });
  expect(json(answer)).toEqual(body);
  expect(header(answer, 'Content-Type')).toBe('application/json; charset=utf-8');
  assertCommonHeaders(answer);
}

export function assertStatus(answer: Answer, status: 'ok' | 'done' | 'deldone'): void {
  assertJson(answer, { status });
}

/** Every failure has this form, whatever caused it. Lists are used if the contract leaves a choice. */
export function assertErrorAnswer(answer: Answer, status: number | number[], code: string | string[]): void {
  // A single comparison of all three, so that a failure shows the actual response.
  const got = { status: answer.status, body: text(answer) };
  expect([status].flat(), JSON.stringify(got)).toContain(answer.status);
  const body = json<Record<string, unknown>>(answer);
  expect(Object.keys(body).sort(), JSON.stringify(got)).toEqual(['code', 'message', 'status']);
  expect(body['status']).toBe('error');
  expect([code].flat(), JSON.stringify(got)).toContain(body['code']);
  expect(body['message']).toMatch(/\S/);
  assertNothingOfTheInside(String(body['message']));
  expect(header(answer, 'Content-Type')).toBe('application/json; charset=utf-8');
  assertCommonHeaders(answer);
  if (answer.status === 401) expect(header(answer, 'WWW-Authenticate')).toMatch(/^Basic realm="[^"]+"/);
  if (answer.status === 405) expect(header(answer, 'Allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  if (answer.status === 429 || answer.status === 503) expect(header(answer, 'Retry-After')).toMatch(/^[1-9]\d*$/);
}

function assertNothingOfTheInside(message: string): void {
  expect(message).not.toMatch(
    /\bat\s+\S+\s*\(|\.(?:ts|js):\d+|node_modules|node:internal|Error:|\bselect\b|\binsert\b/i,
  );
}
