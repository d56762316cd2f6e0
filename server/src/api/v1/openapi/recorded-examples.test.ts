import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { recordStory } from '../../../../test/story/story.ts';
import { routes } from '../routes.ts';
import { type Example, recordedExamples } from './recorded-examples.ts';

vi.setConfig({ testTimeout: 240_000 });

const isRecording = process.env['WAYBILL_RECORD'] === '1';
const command = 'WAYBILL_RECORD=1 npm test -- server/src/api/v1/openapi/recorded-examples.test.ts';
const path = new URL('recorded-examples.ts', import.meta.url);
const guide = new URL('../../../../../docs/api-v1.md', import.meta.url);
/** The examples in docs/api-v1.md, in their order. */
const documented = ['checkContactImport', 'getAccount', 'listEvents', 'receiveEvent'];

let examples = recordedExamples;

test(`the examples are what a server returns; this records them anew: ${command}`, async () => {
  examples = await recordStory();
  if (isRecording) writeFileSync(path, render(examples));
  else expect(examples).toEqual(recordedExamples);
});

test('the examples in docs/api-v1.md are the recorded ones', () => {
  const text = readFileSync(guide, 'utf8');
  const names = documented.values();
  const streamed = examples['streamEvents']?.response;
  if (typeof streamed !== 'string') throw new Error('the stream has no example');
  const expected = text
    .replace(/(?<=```json\n).*?(?=\n```)/gs, () => {
      const { response, request } = examples[names.next().value ?? ''] ?? {};
      return formatJson(response ?? request);
    })
    .replace(/^event: .*\nid: .*\ndata: .*$/m, () => streamed.trim());
  if (isRecording) writeFileSync(guide, expected);
  else expect(text).toBe(expected);
  const ids = text.match(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g) ?? [];
  const known = JSON.stringify(examples);
  expect(ids.filter((id) => !known.includes(id))).toEqual([]);
});

test('every operation has an example', () => {
  expect(routes.map(({ id }) => id).filter((id) => recordedExamples[id] === undefined)).toEqual([]);
});

function render(recorded: Readonly<Record<string, Example>>): string {
  return `// Written by ${command}
/** The example of an operation, recorded from a running server. */
export interface Example {
  /** Without the prefix of the API. */
  readonly path?: string;
  readonly request?: object;
  /** The JSON or the text of the response. */
  readonly response?: object | string;
}

/** One story, by the names of the operations; and a problem, what a webhook receives, and an event of each type that occurs. */
export const recordedExamples: Readonly<Record<string, Example>> = ${JSON.stringify(recorded, null, 1)};
`;
}

/** Writes on one line what fits into it, as people do. */
function formatJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']');
  if (typeof value !== 'object' || value === null || (indent !== '' && line.length + indent.length < 118)) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Array.isArray(value)
    ? value.map((entry) => formatJson(entry, inner))
    : Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${formatJson(entry, inner)}`);
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}
