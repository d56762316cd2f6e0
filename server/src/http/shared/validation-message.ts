import { describeFaults, ExchangeError } from '../../domain/exchange-error.ts';

/** A validator's finding, as Ajv reports it when it is `verbose`. */
export interface Finding {
  readonly keyword: string;
  /** The position in the input: `/2/number`. */
  readonly instancePath: string;
  /** The position of the rule in the schema. */
  readonly schemaPath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly parentSchema?: { readonly description?: string; readonly properties?: object };
}

/**
 * `verbose` adds the schema to a finding; its description says what a value has to be. Optimizing the validators would take
 * a sixth of the processor time of a start, and does not make them noticeably faster.
 */
export const validatorOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  verbose: true,
  code: { optimize: false },
} as const;

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/**
 * A refusal of a request that no operation has seen: the parts at these JSON pointers (RFC 6901), of the query or else of the
 * body, have the same fault.
 */
export class InvalidParts extends ExchangeError {
  readonly pointers: readonly string[];
  readonly detail: string;
  readonly place: 'query' | 'body';

  constructor(pointers: readonly string[], detail: string, place: InvalidParts['place'] = 'body') {
    super('invalid_input', describeFaults(pointers.length, detail));
    this.pointers = pointers;
    this.detail = detail;
    this.place = place;
  }
}

/** Says in a sentence what a person has to change: `"number" in entry 3 must be a telephone number of …`. */
export function validationMessage(findings: readonly Finding[], context = 'body'): string {
  // Each alternative of a choice reports why it does not match; the choice itself says what would.
  const finding = findings.find(({ keyword }) => keyword === 'anyOf') ?? findings[0];
  if (!finding) return 'The request is not valid. Compare it with the API reference.';
  return `${describePlace(finding.instancePath, context)} ${describeDemand(finding)}.`;
}

/** Formats the position in the input as a JSON pointer (RFC 6901). */
export function toPointer({ keyword, instancePath, params }: Finding): string {
  if (keyword === 'required') return `${instancePath}/${String(params['missingProperty'])}`;
  if (keyword === 'additionalProperties') return `${instancePath}/${escapeName(String(params['additionalProperty']))}`;
  return instancePath;
}

function escapeName(name: string): string {
  return name.slice(0, 60).replaceAll('~', '~0').replaceAll('/', '~1');
}

function describePlace(instancePath: string, context: string): string {
  const steps = instancePath.split('/').slice(1).toReversed();
  if (steps.length === 0) return context === 'querystring' ? 'The query' : 'The body';
  const place = steps.map((step) => (/^\d+$/.test(step) ? `entry ${Number(step) + 1}` : `"${step}"`)).join(' in ');
  return `${place[0]?.toUpperCase()}${place.slice(1)}`;
}

function describeDemand({ keyword, params, parentSchema }: Finding): string {
  const limit = Number(params['limit']);
  switch (keyword) {
    case 'required':
      return `needs ${quoteName(params['missingProperty'])}`;
    case 'additionalProperties':
      return `has ${quoteName(params['additionalProperty'])}, which is not a field of this request. ${listFields(parentSchema?.properties)}`;
    case 'type':
      return `must be ${typeNames[String(params['type'])] ?? 'of another type'}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'maxItems':
      return `may have at most ${limit} entries`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'format':
      return describeFormat(params['format'], parentSchema?.description);
    default:
      return describeRule(parentSchema?.description);
  }
}

const formatRules: Readonly<Record<string, string>> = {
  uuid: 'an id such as 0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e5f',
  'date-time': 'a time such as 2030-01-31T12:00:00Z',
};

function describeFormat(format: unknown, description: string | undefined): string {
  const rule = formatRules[String(format)];
  return rule === undefined ? describeRule(description) : `must be ${rule}`;
}

/** A description is the rest of the sentence `must be …`, as in the machine API, or a sentence of its own. */
function describeRule(description: string | undefined): string {
  if (description === undefined) return 'is not valid';
  return description.endsWith('.') ? `is not valid. ${description.slice(0, -1)}` : `must be ${description}`;
}

/** More would hide the rest of the message. */
const maxNamedFields = 20;

function listFields(properties: object = {}): string {
  const names = Object.keys(properties);
  if (names.length === 0) return 'Leave it out';
  const more = names.length > maxNamedFields ? [`${names.length - maxNamedFields} more`] : [];
  const listed = [...names.slice(0, maxNamedFields).map(quoteName), ...more];
  return `Leave it out, or choose from ${new Intl.ListFormat('en').format(listed)}`;
}

/** Shows a name that the caller may have chosen, up to a limited length. */
export function quoteName(name: unknown): string {
  const text = String(name);
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}
