// Everything that `waybill` can report as a failure, from its source and from the server's list of errors, with what to do
// next. Each is a test, so that the report lists them, and a new one cannot be forgotten.
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { describeError } from '../../client/src/command/error-report.ts';
import { describeFileError } from '../../client/src/command/file-errors.ts';
import { WaybillError, type WaybillErrorCode } from '../../client/src/errors.ts';
import { retryableErrors } from '../../client/src/generated/errors.ts';
import { errors } from '../../protocol/src/errors.ts';
import { findCommandMessages, findSdkMessages } from './command-messages.ts';

const own = findCommandMessages();
const sdk = findSdkMessages();

/** A next step tells the reader to do something. The list is closed: the beginning of another sentence is no step. */
const verbs =
  'Add Ask Check Choose Compare Contact Copy Correct Create Delete Enter Leave Let Look Move Name Pull Remove Rename Restore Revoke ' +
  'Run See Send Set Stop Unset Use Wait Write';
const phrases = ['Do not send', 'End it', 'Log in', 'Make room', 'To proceed', 'To [a-z]+ .*: '];
/** The command itself takes these steps, and its user has none. */
const steps = [
  'Another pull may',
  'It runs again',
  'The files from … stay claimed',
  'They wait for',
  'They are given back',
  'They are pulled again',
  'It is sent when',
  'Nothing has to be done',
  'What is being sent is kept',
];
const nextStep = new RegExp(`^(?:${[...verbs.split(' '), ...phrases, ...steps].join('|')})(?:\\b|(?=…))`);
const sentence = /^(?:[A-Z0-9"…-]|https?:).*[.…]$/s;
/** Terms of the wire, which mean nothing to a user. */
const wireTerms = /ETag|Retry-After|Idempotency|X-Request-Id|Prefer:|HTTP Basic|Bearer|csrf|\.cgi|cursor|pointer/i;

test('the source is read completely', () => {
  const count = (name: string) => own.filter(({ place }) => place.startsWith(name)).length;
  expect(own.length).toBeGreaterThan(100);
  expect(count('command/error-report.ts')).toBeGreaterThan(40);
  const text = readFileSync(new URL('../../client/src/command/commands/verify.ts', import.meta.url), 'utf8');
  expect(count('command/commands/verify.ts')).toBe(text.split('new CommandError(').length - 1);
  expect(sdk.length).toBeGreaterThan(25);
});

test('only these next steps are put together while the command runs, and have tests of their own', () => {
  const unknown = own.filter(({ next }) => next.some((text) => text.startsWith('…')));
  expect(unknown.map(({ place }) => place.replace(/:\d+$|(?<=command\/watch)\/.*/, '')).toSorted()).toEqual([
    'command/error-report.ts', // a file that is too large
    'command/error-report.ts', // the advice of the SDK, below
    'command/file-errors.ts', // the table below
    'command/links/link-errors.ts', // the server's advice about a link that has ended
    'command/links/link-errors.ts', // the table of the same file
    'command/terminal/terminal.ts', // the printing itself
    ...Array.from({ length: 7 }, () => 'command/watch'), // the advice of another message
  ]);
});

const withTexts = own.filter(
  ({ messages, next }) =>
    [...messages.filter((text) => text !== '…'), ...next.filter((text) => !text.startsWith('…'))].length > 0,
);
describe.each(withTexts)('$place', ({ messages, next }) => {
  test.each(next.filter((text) => !text.startsWith('…')))(`${messages.join(' | ')} → %s`, (text) => {
    expect(text).toMatch(nextStep);
  });

  test.each(messages.filter((text) => text !== '…'))('%s', (text) => {
    expect(text).toMatch(sentence);
    expect(text).not.toMatch(wireTerms);
  });
});

function expectComplete(error: unknown): void {
  const { message, next } = describeError(error);
  expect(next).toMatch(nextStep);
  expect(message).toMatch(sentence);
  expect(`${message} ${next}`).not.toMatch(wireTerms);
}

const toCases = ({ codes, messages }: (typeof sdk)[number]) =>
  codes.flatMap((code) => messages.map((message) => [code, message] as const)).filter((pair) => !pair.includes('…'));
describe.each(sdk.filter((found) => toCases(found).length > 0))('$place', (found) => {
  test.each(toCases(found))('%s: %s', (code, message) => {
    const status = message.startsWith('The server responded with') ? 200 : undefined;
    expectComplete(new WaybillError(code as WaybillErrorCode, message, { status }));
  });
});

describe('an error of the server', () => {
  test.each(Object.keys(retryableErrors) as (keyof typeof retryableErrors)[])('%s', (code) => {
    const { message, v1, status } = errors[code];
    expectComplete(new WaybillError(code, v1?.message ?? message, { status: v1?.status ?? status }));
  });
});

describe('an error of the disk', () => {
  test.each(Object.keys(constants.errno))('%s', (code) => {
    const error = Object.assign(new Error(`${code}: a reason, open '/srv/in'`), {
      code,
      syscall: 'open',
      path: '/srv/in',
    });
    const { message, next } = describeError(error);
    expect(next).toMatch(nextStep);
    expect(message).toContain('/srv/in');
    if (describeFileError(error)) expect(message).toMatch(/^\/srv\/in .*\.$/);
  });
});
