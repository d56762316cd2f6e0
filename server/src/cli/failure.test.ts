import { expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { userName } from '../host/user-name.ts';
import { type Failure, failureText, toFailure } from './failure.ts';

test('a wrong setting has an exit code of its own', () => {
  let failure: Failure | undefined;
  try {
    readConfig({ WAYBILL_KEY_PEPPER_FILE: '/nonexistent/pepper' });
  } catch (error) {
    failure = toFailure(error);
  }
  expect(failure?.exitCode).toBe(78);
  expect(failure?.message).toContain(
    'WAYBILL_KEY_PEPPER is to be read from /nonexistent/pepper, which cannot be read (ENOENT).',
  );
});

test('what the domain refuses is told as it says', () => {
  const failure = toFailure(new ExchangeError('not_found', 'a@example.org has no drop 7.'));
  expect(failure).toEqual({ exitCode: 1, code: 'not_found', message: 'a@example.org has no drop 7.' });
});

test('a service that is away is told in words of an administrator, with what to check', () => {
  const error = new ExchangeError('unavailable', undefined, { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  expect(failureText(toFailure(error) as Failure, false)).toBe(
    'waybilld: A service is out of reach (connect ECONNREFUSED 127.0.0.1:1).\n' +
      '          Check that it is running, and its address in the settings.\n',
  );
});

test('an engine that is away is named, with its reason and its setting', () => {
  const cause = new Error('connect ECONNREFUSED 127.0.0.1:1');
  const error = new ExchangeError('unavailable', undefined, { cause, engine: 's3' });
  expect(toFailure(error)).toMatchObject({
    message: 'The S3 server is out of reach (connect ECONNREFUSED 127.0.0.1:1).',
    next: 'Check that it is running, or correct WAYBILL_S3_ENDPOINT.',
  });
});

test('an engine whose certificate is of a private authority is told with where to name that', () => {
  const cause = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  const error = new ExchangeError('unavailable', undefined, { cause, engine: 'valkey' });
  expect(toFailure(error)?.next).toContain('NODE_EXTRA_CA_CERTS in the environment file');
});

test('with --json a failure is one JSON value on a line', () => {
  const text = failureText({ exitCode: 1, code: 'not_found', message: 'There is none.' }, true);
  expect(text).toBe('{"status":"error","code":"not_found","message":"There is none."}\n');
});

test('a file that may not be used is told with the user who may not, whom root may not expect', () => {
  const path = '/var/backups/waybill';
  const refused = Object.assign(new Error(`EACCES: permission denied, mkdir '${path}'`), { code: 'EACCES', path });
  expect(failureText(toFailure(refused) as Failure, false)).toBe(
    "waybilld: EACCES: permission denied, mkdir '/var/backups/waybill'\n" +
      `          The command runs as ${userName()}: let this user read and write there, or name another place.\n`,
  );
  const port = Object.assign(new Error('listen EACCES: permission denied 0.0.0.0:443'), { code: 'EACCES' });
  expect(toFailure(port)?.next).toBeUndefined();
});

test('a folder that is missing is told with the command that creates it for the services’ user', () => {
  const path = '/var/backups/waybill';
  const found = { code: 'ENOENT', syscall: 'mkdir', path };
  const missing = Object.assign(new Error(`ENOENT: no such file or directory, mkdir '${path}'`), found);
  expect(toFailure(missing)?.next).toContain(`install -d -m 700 -o ${userName()} ${path}`);
  expect(toFailure({ ...found, syscall: 'open' })?.next).toBeUndefined();
});

test('a disk that is full is named', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path: '/b/x' });
  expect(toFailure(full)).toMatchObject({
    code: 'failed',
    next: 'There is no room left for /b/x. Make room, or name another place, and run the command again.',
  });
});

test('a folder that a systemd unit may not write to is told with the setting of the unit', () => {
  const path = '/srv/backups/waybill';
  const error = Object.assign(new Error(`EROFS: read-only file system, mkdir '${path}'`), { code: 'EROFS', path });
  expect(toFailure(error)?.next).toContain('create the folder, and name it in ReadWritePaths= of the unit');
});

test('an error that nobody expected is told without its stack', () => {
  expect(failureText(toFailure(new TypeError('x is not a function')) as Failure, false)).toBe(
    'waybilld: x is not a function\n',
  );
});
