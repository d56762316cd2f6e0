import { errors, limits } from '@waybill/protocol';
import type { UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import { ExchangeError, type Fault } from '../../../domain/exchange-error.ts';
import { isWeaker } from '../../../domain/links/second-factor.ts';
import type { Policy, SecondFactor } from '../../../domain/policy.ts';
import type { AppEngines } from './app-route.ts';
import type { ComposerProblem, ProblemDetails } from './composer-problem.ts';

const secondFactors: readonly SecondFactor[] = ['off', 'mail', 'sms'];

/** The fault of a form, before it is put into words. */
export interface Problem extends ProblemDetails {
  readonly problem: ComposerProblem;
  readonly status: number;
}

export class FormProblem extends Error {
  readonly problem: ComposerProblem;
  readonly details: ProblemDetails;

  constructor(problem: ComposerProblem, details: ProblemDetails = {}) {
    super(problem);
    this.problem = problem;
    this.details = details;
  }
}

/** Throws unless there are receivers, each of them is understood, and they are not too many. */
export function requireReceivers({ receivers, unreadable }: UnderstoodReceivers): UnderstoodReceivers['receivers'] {
  const [word] = unreadable;
  if (word !== undefined) throw new FormProblem('unreadable', { name: word });
  if (receivers.length === 0) throw new FormProblem('nobody');
  if (receivers.length > limits.receiversPerDispatch) {
    throw new FormProblem('tooManyReceivers', { count: limits.receiversPerDispatch });
  }
  return receivers;
}

export function requireShortMessage(message: string): void {
  if (message.length > limits.messageLength) throw new FormProblem('message', { count: limits.messageLength });
}

/** Lists the second factors that are not weaker than the account's rule; one by SMS only where the server sends any. */
export function listSecondFactors({ sms }: Pick<AppEngines, 'sms'>, policy: Policy): SecondFactor[] {
  const allowed = secondFactors.filter(
    (factor) => !isWeaker(factor, policy.secondFactor) && (factor !== 'sms' || sms !== undefined),
  );
  return allowed.length > 0 ? allowed : [policy.secondFactor];
}

const fileProblems: Readonly<Record<string, ComposerProblem>> = {
  not_found: 'fileGone',
  files_not_ready: 'fileNotReady',
  infected: 'infected',
  encrypted: 'encrypted',
  damaged: 'cutOff',
  digest_mismatch: 'cutOff',
  malformed_request: 'cutOff',
  too_large: 'tooLarge',
  too_large_to_scan: 'tooLargeToScan',
  invalid_name: 'invalidName',
  too_many_files: 'tooManyFiles',
  storage_full: 'storageFull',
  invalid_input: 'fileTwice',
};

export const isFileProblem = (code: string): boolean => Object.hasOwn(fileProblems, code);

export const toFileProblem = (code: string): ComposerProblem => fileProblems[code] ?? 'other';

/** Finds the field and the words for what the domain refuses. An error that is nobody's input stays one. */
export function toProblem(error: unknown, understood: UnderstoodReceivers): Problem {
  if (error instanceof FormProblem) return { problem: error.problem, status: 400, ...error.details };
  if (!(error instanceof ExchangeError) || errors[error.code].status >= 500) throw error;
  const [fault] = error.faults;
  const { status } = errors[error.code];
  if (error.code === 'idempotency_key_reused') return { problem: 'repeated', status: 409 };
  if (error.code === 'too_many_messages') return { problem: 'tooManyMails', status };
  if (error.code === 'daily_limit') return { problem: 'dailyLimit', status };
  if (!fault) return { problem: toFileProblem(error.code), status: 400 };
  return { status: 400, ...toFieldProblem(fault, understood) };
}

function toFieldProblem({ entry, field, code }: Fault, { receivers }: UnderstoodReceivers): Omit<Problem, 'status'> {
  if (entry?.of === 'uploads' || entry?.of === 'sent_files' || field === 'uploads')
    return { problem: toFileProblem(code) };
  if (field === 'expiresIn' || field === 'expiresAt') return { problem: 'until' };
  if (field === 'secondFactor') return { problem: 'factor' };
  if (field === 'title') return { problem: 'title' };
  if (field === 'passphrase') return { problem: 'passphrase' };
  if (field === 'notify') return { problem: 'links' };
  if (field === 'sharedLink') return { problem: 'shared' };
  const name = entry && receivers[entry.index]?.email;
  if (field === 'phone') return { problem: 'phone', name };
  if (entry && field === 'email') {
    return { problem: code === 'recipient_not_allowed' ? 'notAllowed' : 'unreadable', name };
  }
  if (code === 'daily_limit') return { problem: 'dailyLimit' };
  return { problem: 'other' };
}
