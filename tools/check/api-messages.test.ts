// Every message of an error that a caller of the machine API or of /api/v1 can get, from the server's source and from the list of
// errors, with what to do next. Each is a test, so that the report lists them, and a new one cannot be forgotten.
import { readFileSync } from 'node:fs';
import { errorCodes, errors } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { routes as machineRoutes } from '../../server/src/api/machine/routes.ts';
import { toEnforcedInput } from '../../server/src/api/v1/route.ts';
import { routes } from '../../server/src/api/v1/routes.ts';
import { describeFaults } from '../../server/src/domain/exchange-error.ts';
import { webhookSender } from '../../server/src/engines/outgoing/webhook-sender.ts';
import { type Finding, validationMessage } from '../../server/src/http/shared/validation-message.ts';
import { type ApiMessage, findApiMessages } from './api-messages.ts';
import { repository } from './source-texts.ts';

/** A next step tells the reader to do something. The list is closed: the beginning of another sentence is no step. */
const verbs =
  'Add Ask Call Check Choose Claim Compare Correct Create Declare Dispatch Enable Get Give Leave Let Make Name Read Remove Revoke ' +
  'Send Set Start Tell Try Upload Use Wait Write';
const nextStep = new RegExp(
  `(?:^|[.:;,] |: )(?:(?:${verbs.split(' ').join('|')})(?:\\b|(?=…))|To [a-z ]+, (?:send|use|choose) )`,
);
/** The rule for a value that is wrong says what to send instead. */
const demand = /\b(?:must|takes|needs)\b/;
const codesOfValues = new Set(['malformed_request', 'invalid_input', 'invalid_name', 'unsupported_media_type']);

const recorded = readFileSync(`${repository}acceptance/spec/recorded-exchanges.txt`, 'utf8');
/** The machine API's recorded messages stay as they are. */
function isRecorded(text: string): boolean {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`"message":"(?:\\\\"[^"]+": )?${escaped.replaceAll('…', '.+?')}"`).test(recorded);
}

function hasNextStep(codes: readonly string[], text: string): boolean {
  return nextStep.test(text) || (codes.every((code) => codesOfValues.has(code)) && demand.test(text));
}

const found = findApiMessages();

test('the source is read completely', () => {
  const count = (name: string) => found.filter(({ place }) => place.startsWith(name)).length;
  expect(found.length).toBeGreaterThan(180);
  for (const path of [
    'http/shared/json-body.ts',
    'http/transfer/multipart.ts',
    'domain/uploads/find-file-size-limit.ts',
  ]) {
    const text = readFileSync(`${repository}server/src/${path}`, 'utf8');
    expect(count(path), path).toBe(
      text.split(/new ExchangeError\(|new InvalidParts\(|invalidField\(|faults\.add\(/).length - 1,
    );
  }
  // A page's own error, which no program can get.
  expect(count('domain/sign-in')).toBe(0);
});

test.each([
  ['invalid_input', 'There is no such thing.', false],
  ['invalid_input', 'The name must be shorter.', true],
  ['not_found', 'The name must be shorter.', false],
  ['not_found', 'There is nothing here. Check the id.', true],
  ['not_found', 'There is nothing here. Checked.', false],
])('the rule tells a next step: %s %s', (code, text, expected) => {
  expect(hasNextStep([code], text)).toBe(expected);
});

/** Ends with a message, behind what it is about. */
const isPassedOn = (text: string) => /(?:^|: |^… )…\.?$/.test(text);

test('only these pass on a message that is made elsewhere', () => {
  const passing = found.filter(({ messages }) => messages.some(isPassedOn));
  expect(passing.map(({ place }) => place.replace(/:\d+$/, ''))).toEqual([
    'api/shared/limit-failures.ts', // the refusal of the key, which was counted
    'domain/exchange-error.ts', // all faults together, or the only one
    'domain/exchange-error.ts', // invalidField
    'domain/flow/concurrency-limiter.ts', // the message of the limiter's maker, below
    'domain/uploads/stage-upload.ts', // the name of the file and its error
    'domain/webhooks/change-webhook.ts', // the objection to a URL, below
    'http/shared/json-errors.ts', // the validator's findings, below
  ]);
});

function expectNextStep({ codes, advice, place }: ApiMessage, text: string): void {
  if (hasNextStep(codes, text)) return;
  expect(isRecorded(text), `${text} does not say what to do next`).toBe(true);
  const isOfMachineApi = /^(?:api\/machine|domain\/drafts)\//.test(place);
  if (!isOfMachineApi) expect(advice.length, `${text} needs advice for /api/v1`).toBeGreaterThan(0);
}

const withTexts = found.filter(({ messages, advice }) => [...messages, ...advice].some((text) => !isPassedOn(text)));
describe.each(withTexts)('$place', (message) => {
  test.each(message.messages.filter((text) => !isPassedOn(text)))('%s', (text) => {
    expectNextStep(message, text);
    expect(text).toMatch(/\.$/);
  });

  test.each(message.advice.filter((text) => !isPassedOn(text)))('→ %s', (text) => {
    expect(text).toMatch(nextStep);
  });
});

/** Codes that a program can get. Pages have texts of their own. */
const ofPrograms = errorCodes.filter((code) => errors[code].surfaces.some((surface) => surface !== 'pages'));
describe('the message of a code', () => {
  test.each(ofPrograms.filter((code) => errors[code].surfaces.includes('api')))('%s in the machine API', (code) => {
    const { message } = errors[code];
    expect(hasNextStep([code], message) || isRecorded(message), message).toBe(true);
  });

  test.each(ofPrograms.filter((code) => errors[code].surfaces.includes('v1')))('%s in /api/v1', (code) => {
    const message = errors[code].v1?.message ?? errors[code].message;
    expect(message).toMatch(nextStep);
  });

  test.each(ofPrograms.filter((code) => errors[code].retryable))('%s says when to try again', (code) => {
    expect(errors[code].message).toMatch(/again|Wait/);
  });
});

test.each([2, 100])('%s faults name the first of them', (count) => {
  expect(describeFaults(count, 'X is given twice. Name each receiver once.')).toMatch(nextStep);
});

test.each([
  'no url',
  'http://example.org/',
  'https://user:secret@example.org/',
  'https://example.org/#part',
  'https://127.0.0.1/',
])('the objection to the webhook URL %s', (url) => {
  const { objection } = webhookSender({ allowed: [], allowHttp: false });
  expect(hasNextStep(['invalid_input'], objection(url) ?? '')).toBe(true);
});

/** The keywords of JSON Schema by which a validator refuses a value. */
const refusing = new Set([
  'type',
  'enum',
  'const',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'anyOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'required',
  'additionalProperties',
]);
/** Those that refuse nothing by themselves. */
const harmless = new Set([
  'description',
  'title',
  'default',
  'examples',
  'example',
  'properties',
  'items',
  'deprecated',
  '$id',
  'readOnly',
  'patternProperties',
  'contentMediaType',
]);

const machineInputs = machineRoutes.flatMap(({ path, params, query, body }) =>
  [params, query, body].map((schema) => ({ path, schema })),
);
const v1Inputs = routes.flatMap((route) => {
  const { query, body } = toEnforcedInput(route);
  return [route.params, query, body, route.stream?.headers].map((schema) => ({
    path: `${route.method} ${route.path}`,
    schema,
  }));
});
const rules = [...machineInputs, ...v1Inputs].flatMap(({ path, schema }) => (schema ? findRules(path, schema) : []));

function findRules(path: string, schema: object): { rule: string; finding: Finding }[] {
  const own = Object.entries(schema).flatMap(([keyword, value]) => {
    if (harmless.has(keyword)) return [];
    const finding = {
      keyword,
      instancePath: '/field',
      schemaPath: '',
      params: toParams(keyword, value),
      parentSchema: schema,
    };
    if (keyword === 'additionalProperties' && typeof value === 'object') return [];
    return [{ rule: `${path} ${keyword}`, finding }];
  });
  const {
    properties = {},
    items,
    anyOf = [],
    additionalProperties,
    patternProperties = {},
  } = schema as Record<string, never>;
  // Of a choice with a description, the choice itself is reported.
  const alternatives = (schema as { description?: string }).description === undefined ? anyOf : [];
  const below = [
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...[items].flat(),
    ...alternatives,
    additionalProperties,
  ];
  return [
    ...own,
    ...below
      .filter((one: unknown): one is object => typeof one === 'object' && one !== null)
      .flatMap((one) => findRules(path, one)),
  ];
}

function toParams(keyword: string, value: unknown): Record<string, unknown> {
  if (keyword === 'required') return { missingProperty: (value as string[])[0] };
  if (keyword === 'additionalProperties') return { additionalProperty: 'more' };
  if (keyword === 'enum') return { allowedValues: value };
  return { limit: value, [keyword]: value };
}

test('the validators have only rules that are known here', () => {
  expect(rules.length).toBeGreaterThan(200);
  expect(rules.map(({ finding }) => finding.keyword).filter((keyword) => !refusing.has(keyword))).toEqual([]);
});

test('every rule of a validator says what it demands', () => {
  const silent = rules.filter(({ finding }) => {
    const message = validationMessage([finding]);
    return (
      !hasNextStep(['invalid_input'], message) && !/ may have at most \d+ | is not valid\. [A-Z].+\.$/.test(message)
    );
  });
  expect([...new Set(silent.map(({ rule, finding }) => `${rule}: ${validationMessage([finding])}`))]).toEqual([]);
});
