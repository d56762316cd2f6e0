import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WaybillError } from '../../errors.ts';
import type { DownloadLink } from '../../link/download-link.ts';
import type { CodeQuestion, SessionStore } from '../../link/link-options.ts';
import { openLink } from '../../link/open-link.ts';
import { parseLink } from '../../link/parse-link.ts';
import type { UploadLink } from '../../link/upload-link.ts';
import { stateFolder } from '../account.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { createRetryNotice } from '../retry-notice.ts';
import { ask } from '../terminal/ask.ts';
import { toPrintable } from '../terminal/printable.ts';
import { eraseTemporaryLine } from '../terminal/temporary-line.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { explainLinkError } from './link-errors.ts';

export interface LinkCommandOptions {
  linkFile?: string;
  code?: string;
  codeFile?: string;
  passphraseFile?: string;
  plainHttp?: boolean;
  /** The address of one of the receivers of a link for all of them. */
  as?: string;
}

type OpenedLinks = { download: DownloadLink; upload: UploadLink };

/**
 * Opens a link of this kind, and uses it. The session ends with success; after a failure, the next run continues it, so
 * that it needs no other code.
 */
export async function withLink<Kind extends keyof OpenedLinks, T>(
  context: Context,
  kind: Kind,
  word: string | undefined,
  options: LinkCommandOptions,
  use: (link: OpenedLinks[Kind]) => Promise<T>,
): Promise<T> {
  const { terminal, output, signal } = context;
  const link = await readLink(context, word, options.linkFile);
  const plainHttp = options.plainHttp === true || terminal.environment['WAYBILL_PLAIN_HTTP'] === '1';
  const parsed = parseLink(link, plainHttp);
  if (parsed.kind !== kind) throw otherKindError(kind);
  try {
    const opened = await openLink(link, {
      plainHttp,
      signal,
      code: createCodeSource(context, options),
      passphrase: createPassphraseSource(context, options),
      receiver: options.as,
      sessionStore: keepSession(terminal, link),
      onRetry: createRetryNotice(terminal, output),
    });
    let isDone = false;
    try {
      const result = await use(opened as OpenedLinks[Kind]);
      isDone = true;
      return result;
    } finally {
      if (isDone) await opened.close();
      else opened.disconnect();
      eraseTemporaryLine(terminal.errors);
    }
  } catch (error) {
    throw explainLinkError(error, parsed.server.host);
  }
}

function otherKindError(kind: keyof OpenedLinks): CommandError {
  return kind === 'download'
    ? new CommandError(
        exitCodes.usage,
        'other_link',
        'This link is for sending files, not for downloading them.',
        'Run instead: waybill give LINK FILE…',
      )
    : new CommandError(
        exitCodes.usage,
        'other_link',
        'This link is for downloading files, not for sending them.',
        'Run instead: waybill get LINK',
      );
}

async function readLink(
  { terminal, signal }: Context,
  word: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (word !== undefined && file !== undefined) {
    const next = 'Leave one of them out.';
    throw new CommandError(exitCodes.usage, 'usage', 'The link is given twice, also with --link-file.', next);
  }
  if (word === '-') return await ask(terminal, signal, 'Link: ', true);
  if (word !== undefined) return word;
  if (file !== undefined) return (await readFile(file, 'utf8')).trim();
  throw new CommandError(exitCodes.usage, 'usage', 'No link was given.', 'Name it, or use --link-file.');
}

/** Returns the function that gets the code: from an option, a file, or the user. */
function createCodeSource(
  { terminal, output, signal }: Context,
  { code, codeFile }: LinkCommandOptions,
): (question: CodeQuestion) => Promise<string | null> {
  return async ({ code: sent, problem }) => {
    const fixed = code ?? (codeFile === undefined ? undefined : (await readFile(codeFile, 'utf8')).trim());
    // The same code again would be wrong again.
    if (fixed !== undefined && problem === undefined) return fixed;
    const isAsked = code === undefined && codeFile === undefined && terminal.input.isTTY === true;
    if (!isAsked) throw problem ?? new WaybillError('code_required', describeSentCode(sent));
    if (problem) output.notice(problem.message);
    const entered = await ask(
      terminal,
      signal,
      `${toPrintable(describeSentCode(sent))}\nCode (or "new" for another): `,
    );
    return /^new$/i.test(entered) ? null : entered;
  };
}

/** Returns the function that gets the passphrase: from a file, or the user. */
function createPassphraseSource({ terminal, output, signal }: Context, { passphraseFile }: LinkCommandOptions) {
  return async (problem?: WaybillError): Promise<string> => {
    if (passphraseFile !== undefined && problem === undefined) return (await readFile(passphraseFile, 'utf8')).trim();
    if (passphraseFile !== undefined || terminal.input.isTTY !== true)
      throw problem ?? new WaybillError('passphrase_required', 'A passphrase is required, which the sender knows.');
    if (problem) output.notice(problem.message);
    return await ask(terminal, signal, 'Passphrase: ', true);
  };
}

function describeSentCode({ channel, to }: CodeQuestion['code']): string {
  return `A code was sent by ${channel === 'sms' ? 'SMS' : 'mail'} to ${to}.`;
}

/** Keeps the session of a link that requires a code in a file that only this user can read. */
function keepSession(terminal: Terminal, link: string): SessionStore {
  const folder = join(stateFolder(terminal), 'links');
  const path = join(folder, createHash('sha256').update(link.trim()).digest('hex').slice(0, 32));
  return {
    get() {
      try {
        return readFileSync(path, 'utf8').trim() || undefined;
      } catch {
        return undefined;
      }
    },
    set(session) {
      // Without the file, the next run needs another code.
      try {
        rmSync(path, { force: true });
        if (session === undefined) return;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path, `${session}\n`, { flag: 'wx', mode: 0o600 });
      } catch {}
    },
  };
}
