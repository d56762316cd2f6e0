import { type ErrorCode, errorCodes } from '@waybill/protocol';
import type { Problem } from '@waybill/protocol/v1';
import { recordedExamples } from '../../api/v1/openapi/recorded-examples.ts';
import type { DescribedApi } from './apis.ts';
import type { ReferenceBlock, ReferenceContent } from './blocks.ts';
import { problemsHref, toHeading, toRemedy } from './parts.ts';

/** Creates the page to which the `type` of a problem links. */
export function toProblemsPage(
  v1: DescribedApi,
  machine: DescribedApi,
  publicUrl: string,
  guide: readonly ReferenceBlock[],
): ReferenceContent {
  const isPossible = (api: DescribedApi) => {
    const codes = new Set<ErrorCode>([
      'not_found',
      'method_not_allowed',
      ...api.operations.flatMap(({ errors }) => errors),
    ]);
    return (code: ErrorCode) => codes.has(code);
  };
  const toProblems = (api: DescribedApi, codes: readonly ErrorCode[]) =>
    codes
      .map((code) => ({ code, status: api.errors[code].status, text: toRemedy(api.errors[code]), href: null }))
      .toSorted((a, b) => a.status - b.status);
  const ofV1 = errorCodes.filter(isPossible(v1));
  const ofMachine = errorCodes.filter(isPossible(machine)).filter((code) => !ofV1.includes(code));
  const example = {
    ...(recordedExamples['problem']?.response as Problem),
    type: `${publicUrl}${problemsHref}#invalid_input`,
  };
  return {
    href: problemsHref,
    title: 'Problems',
    group: 'Concepts',
    lead: 'What the API may refuse, and what to do about it.',
    blocks: [
      ...guide,
      toHeading('codes', 'Codes'),
      { kind: 'problems', problems: toProblems(v1, ofV1) },
      toHeading('machine-api', 'Only in the machine API'),
      { kind: 'problems', problems: toProblems(machine, ofMachine) },
    ],
    samples: [
      { title: 'A problem of /api/v1', text: JSON.stringify(example, null, 2) },
      {
        title: 'An error of the machine API',
        text: JSON.stringify(
          { status: 'error', code: 'no_receivers', message: machine.errors.no_receivers.message },
          null,
          2,
        ),
      },
    ],
  };
}
