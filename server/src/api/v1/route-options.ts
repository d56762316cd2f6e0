import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { App } from '../../http/shared/app.ts';
import { requireStorableTexts } from '../../http/shared/storable-texts.ts';
import { inputSchemas, isOptionalBody } from '../shared/route.ts';
import { type BytesDescription, type Route, toEnforcedInput } from './route.ts';

export const v1Prefix = '/api/v1';

/** The options of every operation: its path and the schemas of its input. */
export function toInputOptions(route: Route) {
  const { method, path } = route;
  const { query, body } = toEnforcedInput(route);
  return {
    method,
    url: `${v1Prefix}${path}`,
    schema: inputSchemas({ ...route, query, ...(body && { body }) }),
    async preValidation(request: FastifyRequest) {
      request.query = convertQuery(query, request.query);
      if (request.body === undefined && isOptionalBody(method, body)) request.body = {};
    },
  } as const;
}

/** Lets the routes of a scope read bodies that are not JSON as they arrive. */
export function acceptStreams(app: App, { mediaTypes = [], anyTypeBytes }: BytesDescription): void {
  app.removeAllContentTypeParsers();
  const asStream = async (_request: unknown, body: Readable) => body;
  if (mediaTypes.length > 0) app.addContentTypeParser([...mediaTypes], asStream);
  if (anyTypeBytes !== undefined) app.addContentTypeParser('*', asStream);
}

/**
 * Converts texts in the query to numbers and booleans where the schema has them. Other texts stay as they are, and the
 * schema refuses them. A text that the database cannot compare with anything is refused here.
 */
export function convertQuery(schema: TSchema, query: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { readonly type?: string }>> };
  requireStorableTexts(query, 'query');
  const entries = Object.entries(query as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, convertValue(properties[name]?.type, value)]));
}

function convertValue(type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}
