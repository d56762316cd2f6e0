import { ConfigError } from '../config/config.ts';
import { reachRemedy } from '../domain/doctor/finding.ts';
import { type EngineName, toOutage } from '../domain/engine-name.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { SetupError } from '../domain/setup-error.ts';
import { userName } from '../host/user-name.ts';
import { UsageError } from './program.ts';

/** Listed in docs/processes.md and in `waybilld --help`. */
export const exitCodes = { done: 0, failed: 1, usage: 2, configuration: 78 } as const;

export interface Failure {
  readonly exitCode: number;
  /** For programs, with --json. */
  readonly code: string;
  readonly message: string;
  readonly next?: string;
}

/** Describes an error for the person who started the program; undefined if it was already printed. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof UsageError) {
    const { message, next, isShown } = error;
    return isShown ? undefined : { exitCode: exitCodes.usage, code: 'usage', message, next };
  }
  if (error instanceof ConfigError || error instanceof SetupError) {
    return { exitCode: exitCodes.configuration, code: 'configuration', message: error.message };
  }
  if (error instanceof ExchangeError) {
    const reason = error.cause instanceof Error ? ` (${error.cause.message || error.cause.name})` : '';
    return {
      exitCode: exitCodes.failed,
      code: error.code,
      // The text for API callers mentions a header that does not apply here.
      ...(error.code === 'unavailable' ? describeOutage(error) : { message: `${error.message}${reason}` }),
    };
  }
  return {
    exitCode: exitCodes.failed,
    code: 'failed',
    message: error instanceof Error ? error.message : String(error),
    ...toFileRemedy(error),
  };
}

/** By the name of each engine: what people call it, and the setting with its address. */
const engines: Readonly<Record<EngineName, readonly [name: string, setting: string]>> = {
  postgres: ['PostgreSQL', 'WAYBILL_DATABASE_URL'],
  valkey: ['Valkey or Redis', 'WAYBILL_REDIS_URL'],
  s3: ['The S3 server', 'WAYBILL_S3_ENDPOINT'],
  clamd: ['clamd', 'WAYBILL_CLAMD'],
  smtp: ['The mail server', 'WAYBILL_SMTP_URL'],
  sms: ['The SMS gateway', 'WAYBILL_SMS_URL'],
  masterKeys: ['The key service', 'WAYBILL_VAULT_KEY or WAYBILL_KMS_ENDPOINT'],
};

function describeOutage(error: ExchangeError): { readonly message: string; readonly next: string } {
  const { engine, reason } = toOutage(error) ?? {};
  const why = reason === undefined ? '' : ` (${reason})`;
  if (!engine) {
    return {
      message: `A service is out of reach${why}.`,
      next: 'Check that it is running, and its address in the settings.',
    };
  }
  const [name, setting] = engines[engine];
  if (error.remedy !== undefined) return { message: `${name} refuses a call${why}.`, next: error.remedy };
  const next = reachRemedy(error, `Check that it is running, or correct ${setting}.`);
  return { message: `${name} is out of reach${why}.`, next };
}

/** For a file or directory, not for a port, which may be refused by the same code. */
function toFileRemedy(error: unknown): { next: string } | undefined {
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (path === undefined) return undefined;
  if (code === 'EACCES' || code === 'EPERM') {
    return { next: `The command runs as ${userName()}: let this user read and write there, or name another place.` };
  }
  if (code === 'ENOENT' && syscall === 'mkdir') {
    return { next: `Create it for the user of the services, as root: install -d -m 700 -o ${userName()} ${path}` };
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return { next: `There is no room left for ${path}. Make room, or name another place, and run the command again.` };
  }
  if (code === 'EROFS') {
    return {
      next: `${path} is read-only here. If a systemd unit runs the command: create the folder, and name it in ReadWritePaths= of the unit, as docs/processes.md shows. Otherwise mount it for writing, or name another place.`,
    };
  }
  return undefined;
}

export function failureText({ code, message, next }: Failure, json: boolean): string {
  if (json) return `${JSON.stringify({ status: 'error', code, message, next })}\n`;
  return `waybilld: ${message}\n${next === undefined ? '' : `          ${next}\n`}`;
}
