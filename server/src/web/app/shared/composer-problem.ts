import { isolate, oneLine } from '../../../present/texts/plain.ts';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';

/** The fields of the composer in which an error can be. */
export type ComposerField =
  | 'files'
  | 'receiver'
  | 'title'
  | 'wanted'
  | 'message'
  | 'until'
  | 'second_factor'
  | 'phone'
  | 'notify'
  | 'passphrase'
  | 'shared';

/** Why nothing was sent: the field, if it is in one, and the text. */
const problems = {
  nobody: ['receiver', 'composer.problem.nobody'],
  unreadable: ['receiver', 'composer.problem.unreadable'],
  notAllowed: ['receiver', 'composer.problem.notAllowed'],
  tooManyReceivers: ['receiver', 'composer.problem.tooMany'],
  nothing: ['files', 'composer.problem.nothing'],
  title: ['title', 'composer.problem.title'],
  wanted: ['wanted', 'composer.problem.wanted'],
  message: ['message', 'composer.problem.message'],
  until: ['until', 'composer.problem.until'],
  factor: ['second_factor', 'composer.problem.factor'],
  passphrase: ['passphrase', 'composer.problem.passphrase'],
  shared: ['shared', 'sharedLink.state.forbidden'],
  phone: ['phone', 'composer.fault.phones'],
  links: ['notify', 'composer.problem.links'],
  againEnded: ['files', 'composer.problem.againEnded'],
  fileGone: ['files', 'composer.problem.fileGone'],
  fileTwice: ['files', 'composer.problem.fileTwice'],
  fileNotReady: ['files', 'upload.problem.files_not_ready'],
  tooManyFiles: ['files', 'upload.problem.too_many_files'],
  tooLarge: ['files', 'upload.problem.too_large'],
  infected: ['files', 'upload.problem.infected'],
  encrypted: ['files', 'upload.problem.encrypted'],
  tooLargeToScan: ['files', 'upload.problem.too_large_to_scan'],
  invalidName: ['files', 'upload.problem.invalid_name'],
  cutOff: ['files', 'upload.problem.cut_off'],
  storageFull: ['files', 'composer.problem.storageFull'],
  dailyLimit: [undefined, 'delivery.problem.limit'],
  tooManyMails: [undefined, 'composer.problem.tooManyMails'],
  repeated: [undefined, 'composer.problem.repeated'],
  other: [undefined, 'composer.problem.other'],
} as const satisfies Record<string, readonly [ComposerField | undefined, string]>;

/** The same about a request for files, which has fewer fields. */
const requestProblems: Partial<Record<ComposerProblem, readonly [ComposerField | undefined, string]>> = {
  nobody: ['receiver', 'requests.problem.nobody'],
  unreadable: ['receiver', 'requests.problem.unreadable'],
  notAllowed: ['receiver', 'requests.problem.notAllowed'],
  tooManyReceivers: ['receiver', 'requests.problem.tooMany'],
  dailyLimit: [undefined, 'delivery.problem.limit'],
  tooManyMails: [undefined, 'delivery.problem.limit'],
  repeated: [undefined, 'requests.problem.repeated'],
  other: [undefined, 'requests.problem.other'],
};

const cannotBeRequested: ReadonlySet<ComposerField> = new Set(['files']);

/** The same about a file whose name is known. */
const namedProblems: Partial<Record<ComposerProblem, string>> = {
  tooLarge: 'upload.problem.named.too_large',
  infected: 'upload.problem.named.infected',
  tooLargeToScan: 'upload.problem.named.too_large_to_scan',
  encrypted: 'upload.problem.named.encrypted',
  invalidName: 'upload.problem.named.invalid_name',
};

export type ComposerProblem = keyof typeof problems;

export interface ProblemDetails {
  /** The address, the word or the file at fault. */
  readonly name?: string | undefined;
  /** How many there may be. */
  readonly count?: number | undefined;
  readonly maxFileBytes?: number | undefined;
  /** The faults of single people, by address. */
  readonly people?: ReadonlyMap<string, string> | undefined;
}

export interface ShownProblem {
  readonly field: ComposerField | undefined;
  readonly text: string;
  /** The faults of single people, by address. */
  readonly people?: ReadonlyMap<string, string> | undefined;
}

/** Says what is wrong, and what to do about it. */
export function describeProblem(
  translator: ViewTranslator,
  problem: ComposerProblem,
  details: ProblemDetails = {},
): ShownProblem {
  const [field, text] = problems[problem];
  const shown = fill(translator, (details.name && namedProblems[problem]) || text, details);
  return { field, text: shown, people: details.people };
}

/** Undefined if it cannot be wrong with a request for files. */
export function describeRequestProblem(
  translator: ViewTranslator,
  problem: ComposerProblem,
  details: ProblemDetails,
): ShownProblem | undefined {
  const [field, text] = requestProblems[problem] ?? problems[problem];
  if (field !== undefined && cannotBeRequested.has(field)) return undefined;
  return { field, text: fill(translator, text, details), people: details.people };
}

function fill(
  translator: ViewTranslator,
  text: string,
  { name = '', count = 0, maxFileBytes = 0 }: ProblemDetails,
): string {
  const shown = isolate(oneLine(name));
  const size = translator.formatSize(maxFileBytes);
  return translator.t(text, { name: shown, text: shown, address: shown, count, size });
}
