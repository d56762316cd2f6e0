import { STATUS_CODES } from 'node:http';
import type { ErrorCode } from '@waybill/protocol';
import type { DescribedApi, DescribedOperation } from './apis.ts';
import type { ReferenceBlock, ReferenceContent, ReferenceProblem, ReferenceSample } from './blocks.ts';
import type { Content, Parameter, Response } from './document.ts';
import type { Direction, FieldDescriber } from './fields.ts';
import { capitalize, problemsHref, root, toHeading, toKebab, toParagraph, toRemedy } from './parts.ts';
import { createSample } from './sample.ts';

/** Creates the page of an operation; `guide` says more about it than the OpenAPI document. */
export function toOperationPage(
  api: DescribedApi,
  describer: FieldDescriber,
  operation: DescribedOperation,
  group: { slug: string; title: string },
  guide: readonly ReferenceBlock[] = [],
): ReferenceContent {
  const { operationId, summary, path, route, parameters, requestBody, responses } = operation;
  const main = String(route.response.status);
  const lists = [
    ['path', 'Path parameters'],
    ['query', 'Query parameters'],
    ['header', 'Headers'],
  ] as const;
  return {
    href: `${root}/${group.slug}/${toKebab(operationId)}`,
    title: capitalize(toKebab(operationId).replaceAll('-', ' ')).replace(/\b(?:api|pdf|zip)\b/, (word) =>
      word.toUpperCase(),
    ),
    group: group.title,
    endpoint: { method: route.method, path },
    lead: `${summary}.`,
    blocks: [
      ...(operation.deprecated ? [toParagraph(operation.description ?? '')] : []),
      ...guide,
      toHeading('authentication', 'Authentication'),
      toParagraph(operation.authentication),
      ...lists.flatMap(([place, title]) =>
        toParameterBlocks(
          describer,
          title,
          parameters.filter((parameter) => parameter.in === place),
        ),
      ),
      ...(requestBody
        ? [toHeading('body', 'Body'), ...toContentBlocks(describer, requestBody.content, 'request')]
        : []),
      toHeading('responses', 'Responses'),
      ...Object.entries(responses)
        .filter(([status]) => Number(status) < 400)
        .toSorted(([a], [b]) => Number(b === main) - Number(a === main))
        .flatMap(([status, response]) => toResponseBlocks(describer, status, response, status === main)),
      toHeading('errors', 'Errors'),
      ...toErrorBlocks(api, operation),
    ],
    samples: toSamples(api, operation),
  };
}

function toParameterBlocks(
  describer: FieldDescriber,
  title: string,
  parameters: readonly Parameter[],
): ReferenceBlock[] {
  if (parameters.length === 0) return [];
  return [
    toHeading(toKebab(title.replaceAll(' ', '-')), title),
    { kind: 'fields', fields: parameters.map((parameter) => describer.toParameter(parameter)) },
  ];
}

/** Folds the fields of a response that is not the usual one. */
function toResponseBlocks(
  describer: FieldDescriber,
  status: string,
  response: Response,
  isMain: boolean,
): ReferenceBlock[] {
  const headers = Object.entries(response.headers ?? {}).map(([name, header]) =>
    describer.toParameter({ ...header, name, in: 'header' }),
  );
  const content = toContentBlocks(describer, response.content ?? {}, 'response');
  const isFolded = !isMain && content.some(({ kind }) => kind === 'fields');
  return [
    toHeading(`response-${status}`, `${status} ${STATUS_CODES[status] ?? ''}`, 3),
    toParagraph(response.description),
    ...(isFolded ? [{ kind: 'folded', summary: `Fields of ${status}`, blocks: content } as const] : content),
    { kind: 'folded', summary: `Headers of ${status}`, blocks: [{ kind: 'fields', fields: headers }] },
  ];
}

function toContentBlocks(describer: FieldDescriber, content: Content, direction: Direction): ReferenceBlock[] {
  const types = Object.keys(content);
  const [schema] = Object.values(content).map((media) => media.schema);
  if (!schema) return [];
  const fields = describer.listFields(schema, direction);
  const type = describer.toType(schema);
  const media = types[0] === 'application/json' ? 'JSON' : types.map((name) => `\`${name}\``).join(' or ');
  const subject = direction === 'request' ? 'The body' : 'The response';
  return [
    toParagraph(`${subject} is ${media}: ${type}.`, true),
    ...(fields.length > 0 ? [{ kind: 'fields', fields } as const] : []),
  ];
}

/** Shows the errors of the operation, and folds those that every operation can have. */
function toErrorBlocks({ errors, everywhere }: DescribedApi, operation: DescribedOperation): ReferenceBlock[] {
  const toProblem = (code: ErrorCode): ReferenceProblem => ({
    code,
    status: errors[code].status,
    text: toRemedy(errors[code]),
    href: `${problemsHref}#${code}`,
  });
  const sorted = operation.errors.map(toProblem).toSorted((a, b) => a.status - b.status);
  const isGeneral = ({ code }: ReferenceProblem) => everywhere.some((one) => one === code);
  const own = sorted.filter((problem) => !isGeneral(problem));
  return [
    ...(own.length > 0 ? [{ kind: 'problems', problems: own } as const] : []),
    {
      kind: 'folded',
      summary: 'Errors of every operation',
      blocks: [{ kind: 'problems', problems: sorted.filter(isGeneral) }],
    },
  ];
}

export function toSamples(api: DescribedApi, operation: DescribedOperation): ReferenceSample[] {
  const { command, route, responses } = operation;
  const { status, example } = route.response;
  const line = `${status} ${STATUS_CODES[status] ?? ''}`;
  const [[type, media] = []] = Object.entries(responses[status]?.content ?? {});
  const request = { title: 'Request', text: command };
  if (!media || type === undefined) return [request, { title: 'Response', text: `HTTP/1.1 ${line}` }];
  const sample = example ?? createSample(api.document, media.schema);
  if (media.schema.format === 'binary') {
    return [request, { title: 'Response', text: `HTTP/1.1 ${line}\nContent-Type: ${type}\n\n…` }];
  }
  const text = typeof sample === 'string' ? sample : JSON.stringify(sample, null, 2);
  return [request, { title: `Response: ${line}`, text }];
}
