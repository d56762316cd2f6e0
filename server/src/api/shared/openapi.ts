import type { ErrorCode, Errors } from '@waybill/protocol';
import type { TSchema } from 'typebox';
import type { App } from '../../http/shared/app.ts';
import { type DescribedRoute, isOptionalBody, type RouteResponse } from './route.ts';

export const text = (description: string) => ({ description, schema: { type: 'string' } });
export const commonHeaders = { 'X-Request-Id': text('Identifies the request. Quote it to the administrator.') };
export const retryAfter = text(
  'The number of seconds to wait: the same request will not succeed before. See docs/api-v1.md, "Retry-After".',
);
export const header = (name: string, about: string, schema: object = {}) => ({
  name,
  in: 'header',
  description: about,
  schema: { type: 'string', ...schema },
});

export const binary = (contentMediaType: string) => ({ type: 'string', format: 'binary', contentMediaType });

/** The body of a download, and the headers that describe it. */
export interface DescribedBytes {
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, object>>;
}
export const fileBytes: DescribedBytes = {
  mediaType: 'application/octet-stream',
  headers: {
    ETag: text('The SHA-256 of the whole file.'),
    'Repr-Digest': text('The SHA-256 of the whole file, as RFC 9530 writes it.'),
    'Accept-Ranges': text('bytes'),
    'Waybill-Path': text('Where the file was in the folder that was sent, its own name last; UTF-8, percent-encoded.'),
  },
};
export const zipBytes: DescribedBytes = {
  mediaType: 'application/zip',
  headers: {
    ETag: text('Identifies the bytes of the ZIP, which are the same every time.'),
    'Accept-Ranges': text('bytes'),
  },
};
export const rangeHeader = header('Range', 'One range of bytes.');
export const ifRangeHeader = header(
  'If-Range',
  'An ETag. If it is no longer that of the file, the response contains the whole file.',
);

/** Describes the responses with a whole download, and with a range of it. */
function describeDownload(description: string, { mediaType, headers: own }: DescribedBytes, method: string) {
  const content = method.toLowerCase() === 'get' ? { content: { [mediaType]: { schema: binary(mediaType) } } } : {};
  const headers = { ...commonHeaders, ...own };
  return {
    '200': { description, headers, ...content },
    '206': {
      description: 'The requested range.',
      headers: { ...headers, 'Content-Range': text('The position of these bytes in the whole.') },
      ...content,
    },
  };
}

interface OwnDescription {
  /** The other members of the description, such as `security`. */
  readonly members: object;
  /** The headers of the request that have a meaning for it. */
  readonly headers: readonly object[];
  /** If its body is not JSON. */
  readonly requestBody?: object | undefined;
  /** The headers of its response besides those that every response has and the route names. */
  readonly responseHeaders?: object;
  readonly otherResponse?: RouteResponse | undefined;
  /** An example of its path. */
  readonly examplePath?: string | undefined;
  readonly failures: Readonly<Record<string, object>>;
}

/** An operation, from its route and from the parts that only its API has. */
export function describeOperation(
  { method, path, id, summary, params, query, body, example, response }: DescribedRoute,
  own: OwnDescription,
) {
  const requestBody = body
    ? {
        required: !isOptionalBody(method, body),
        content: { 'application/json': { schema: body, ...(example && { example }) } },
      }
    : own.requestBody;
  return {
    operationId: id,
    summary,
    ...own.members,
    parameters: [
      ...toParameters(params, 'path').map((parameter) => addExample(parameter, path, own.examplePath)),
      ...toParameters(query, 'query'),
      ...own.headers,
      ...(response.bytes ? [rangeHeader, ifRangeHeader] : []),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      ...(response.bytes
        ? describeDownload(response.description, response.bytes, method)
        : { [response.status]: success(response, own.responseHeaders) }),
      ...(own.otherResponse ? { [own.otherResponse.status]: success(own.otherResponse) } : {}),
      ...own.failures,
    },
  };
}

function addExample<Described extends { readonly name: string }>(parameter: Described, path: string, example?: string) {
  const value = example?.split('?', 1)[0]?.split('/')[path.split('/').indexOf(`:${parameter.name}`)];
  return value === undefined ? parameter : { ...parameter, example: value };
}

/** The operations by their paths; `shared` is the same for all operations of a path. */
export function describePaths<Route extends DescribedRoute>(
  prefix: string,
  routes: readonly Route[],
  describe: (route: Route) => object,
  shared: object = {},
) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = toTemplate(`${prefix}${route.path}`);
    paths[path] = { ...shared, ...paths[path], [route.method.toLowerCase()]: describe(route) };
  }
  return paths;
}

/** `/drops/:id` → `/drops/{id}` */
export function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function success(response: RouteResponse, own: object = {}) {
  const { description, schema, mediaType = 'application/json', headers, example } = response;
  const described = Object.entries(headers ?? {}).map(([name, about]) => [name, text(about)]);
  return {
    description,
    headers: { ...commonHeaders, ...own, ...Object.fromEntries(described) },
    ...(schema ? { content: { [mediaType]: { schema, ...(example === undefined ? {} : { example }) } } } : {}),
  };
}

export function toParameters(schema: TSchema | undefined, place: 'path' | 'query' | 'header') {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) =>
    toParameter(name, property, place, required.includes(name)),
  );
}

export function toParameter(name: string, property: TSchema, place: string, required = false) {
  const { description, ...schema } = property as { description?: string };
  return { name, in: place, required, ...(description === undefined ? {} : { description }), schema };
}

/** Describes failures by status, with exactly the codes that each can have; `content` describes their body. */
export function failures(
  codes: readonly ErrorCode[],
  errors: Errors,
  content: (codes: ErrorCode[]) => object,
  headers: (status: string) => object = () => ({}),
): Record<string, object> {
  const byStatus = Map.groupBy(codes, (code) => String(errors[code].status));
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => [
      status,
      {
        description: those.map((code) => errors[code].message).join(' '),
        headers: {
          ...commonHeaders,
          ...describeRetryAfter(those, errors),
          ...headers(status),
        },
        ...content(those),
      },
    ]),
  );
}

function describeRetryAfter(codes: readonly ErrorCode[], errors: Errors) {
  const waiting = codes.filter((code) => errors[code].retryAfterSeconds !== undefined);
  if (waiting.length === 0) return {};
  const only = `${retryAfter.description} Only with ${waiting.map((code) => `\`${code}\``).join(' and ')}.`;
  return { 'Retry-After': waiting.length === codes.length ? retryAfter : { ...retryAfter, description: only } };
}

/** The fields of every OpenAPI document. */
export function frame(info: { readonly title: string; readonly version: string; readonly description: string }) {
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
  };
}

/** Serves a description, which is the same for every server of the process, and made when someone first asks for it. */
export function serveDocument(url: string, describe: () => object): (app: App) => void {
  let document: string | undefined;
  return (app) => {
    app.get(url, { config: { authentication: 'nobody' } }, async (_request, reply) => {
      document ??= JSON.stringify(describe());
      return reply.type('application/json; charset=utf-8').send(document);
    });
  };
}
