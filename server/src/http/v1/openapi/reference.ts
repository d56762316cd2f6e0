import type { ErrorCode } from '@waybill/protocol';
import type { TSchema } from 'typebox';
import type {
  ProblemsPageProps,
  ReferenceField,
  ReferenceOperation,
  ReferencePageProps,
} from '../../../views/pages/reference-page.tsx';
import { toTemplate } from '../../shared/openapi.ts';
import { problemsPath, toTitle, v1Errors } from '../problems.ts';
import type { Route } from '../route.ts';
import { listErrors, possibleErrors } from './openapi.ts';

export const referencePath = '/docs';

/** Creates the reference from the table of routes. */
export function apiReference(routes: readonly Route[], publicUrl: string): ReferencePageProps {
  const operations = routes.map((route): ReferenceOperation => {
    const { id, method, path, summary, scope, params, query, body, stream, response } = route;
    return {
      id,
      method,
      path: toTemplate(`/api/v1${path}`),
      summary,
      scope,
      parameters: [...toFields(params), ...toFields(query), ...toFields(stream?.headers)],
      body: toFields(body),
      response: { status: response.status, about: response.description, fields: toFields(response.schema) },
      problems: listErrors(route)
        .map((code) => ({ code, status: v1Errors[code].status }))
        .toSorted((a, b) => a.status - b.status),
      example: toExample(route, publicUrl),
    };
  });
  return { operations, descriptionHref: '/api/v1/openapi.json', problemsHref: problemsPath };
}

export function apiProblems(routes: readonly Route[]): ProblemsPageProps {
  const possible = new Set<ErrorCode>([...possibleErrors(routes), 'not_found', 'method_not_allowed']);
  const problems = [...possible].map((code) => ({
    code,
    title: toTitle(code),
    status: v1Errors[code].status,
    text: v1Errors[code].message,
  }));
  return { problems: problems.toSorted((a, b) => a.status - b.status), referenceHref: referencePath };
}

/** Writes a command for a shell in which WAYBILL_KEY is set. */
export function toExample({ method, path, example, stream }: Route, publicUrl: string): string {
  const place = `${publicUrl}/api/v1${path.replace(/:(\w+)/g, (_, name: string) => `$${name.toUpperCase()}`)}`;
  return [
    `curl -H "Authorization: Bearer $WAYBILL_KEY"`,
    ...(stream?.curl ?? (method === (example === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`])),
    ...(example === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example)}'`]),
    `"${place}"`,
  ].join(' \\\n  ');
}

interface Property {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
  readonly anyOf?: readonly Property[];
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

/** Lists the fields, including those of nested objects: `key.id`, `data[].id`. */
function toFields(schema: TSchema | Property | undefined, prefix = ''): ReferenceField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Property;
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    if (property.properties) return toFields(property, `${path}.`);
    if (property.items?.properties) return toFields(property.items, `${path}[].`);
    const about = property.description ?? property.items?.description ?? '';
    return [{ name: path, type: toTypeName(property), required: required.includes(name), about }];
  });
}

function toTypeName({ type, format, items, anyOf, enum: values }: Property): string {
  if (anyOf) return anyOf.map(toTypeName).join(' or ');
  if (values) return values.join(', ');
  if (items) return `list of ${toTypeName(items)}`;
  return format === 'date-time' ? 'time' : (format ?? type ?? 'any');
}
