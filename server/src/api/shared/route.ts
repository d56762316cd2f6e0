import type { ErrorCode } from '@waybill/protocol';
import type { Static, TSchema } from 'typebox';
import type { DescribedBytes } from './openapi.ts';

/** The parts of a route that the routes of both APIs have. */
export interface DescribedRoute {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the prefix of its API; parameters are written as `:name`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** An example of a body, for the reference. */
  readonly example?: object;
  readonly response: RouteResponse;
  /** The errors that it adds to those that every operation has. */
  readonly errors: readonly ErrorCode[];
}

export interface RouteResponse {
  readonly status: number;
  readonly description: string;
  readonly schema?: TSchema;
  /** An example of its body, for the reference, if the schema allows values that this operation does not return. */
  readonly example?: unknown;
  /** If it is not JSON. */
  readonly mediaType?: string;
  /** Bytes in place of JSON: a download, or a range of it. */
  readonly bytes?: DescribedBytes;
  /** The response's own headers, each with a description. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A route whose handler gets the types of its schemas. */
export type WithInput<Route, Params, Query, Body> = Omit<Route, 'params' | 'query' | 'body'> & {
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
};

export type Input<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** The schemas by which the server checks the input before it calls the handler. */
export function inputSchemas({ params, query, body }: DescribedRoute) {
  return { ...(params && { params }), ...(query && { querystring: query }), ...(body && { body }) };
}

/** Whether a body need not be sent, because nothing in it is required. A lost body must not replace something by nothing. */
export function isOptionalBody(method: DescribedRoute['method'], body: TSchema | undefined): boolean {
  const {
    type,
    required = [],
    minProperties = 0,
  } = (body ?? {}) as {
    readonly type?: string;
    readonly required?: readonly string[];
    readonly minProperties?: number;
  };
  return method !== 'PUT' && type === 'object' && required.length === 0 && minProperties === 0;
}
