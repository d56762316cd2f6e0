import { type ErrorCode, type Errors, errors } from '@waybill/protocol';
import {
  listErrors as listMachineErrors,
  everywhere as machineEverywhere,
  needsToken,
  openapiDocument,
} from '../../api/machine/openapi.ts';
import type { Route as MachineRoute } from '../../api/machine/route.ts';
import { routes as machineRoutes } from '../../api/machine/routes.ts';
import { toTemplate } from '../../api/shared/openapi.ts';
import { type DescribedRoute } from '../../api/shared/route.ts';
import { listErrors as listV1Errors, v1Document, everywhere as v1Everywhere } from '../../api/v1/openapi/openapi.ts';
import { v1Errors } from '../../api/v1/problems.ts';
import type { Route as V1Route } from '../../api/v1/route.ts';
import { routes as v1Routes } from '../../api/v1/routes.ts';
import { type Document, findOperation, type Operation } from './document.ts';

/** An API as the reference shows it: its OpenAPI document, and what its table of routes knows besides. */
export interface DescribedApi {
  readonly document: Document;
  readonly errors: Errors;
  /** The errors that every operation can have. */
  readonly everywhere: readonly ErrorCode[];
  readonly operations: readonly DescribedOperation[];
}

export interface DescribedOperation extends Operation {
  readonly route: DescribedRoute;
  readonly path: string;
  /** How a caller proves who they are, in a little Markdown. */
  readonly authentication: string;
  readonly errors: readonly ErrorCode[];
  /** A command that can be pasted into a shell. */
  readonly command: string;
}

export function describeV1(publicUrl: string): DescribedApi {
  const document = v1Document(v1Routes) as unknown as Document;
  const operations = v1Routes.map((route) => {
    const path = toTemplate(`/api/v1${route.path}`);
    return {
      ...findOperation(document, path, route.method),
      route,
      path,
      authentication: describeV1Authentication(route),
      errors: listV1Errors(route),
      command: toV1Command(route, publicUrl),
    };
  });
  return { document, errors: v1Errors, everywhere: v1Everywhere, operations };
}

export function describeMachineApi(publicUrl: string): DescribedApi {
  const document = openapiDocument(machineRoutes) as unknown as Document;
  const basic = 'Send the account’s address and one of its API keys by HTTP Basic authentication';
  const token = 'and a [CSRF token](/docs/machine-api/get-index-page) as `CSRF-Token`';
  const operations = machineRoutes.map((route) => {
    const path = toTemplate(`/:user${route.path}`);
    return {
      ...findOperation(document, path, route.method),
      route,
      path,
      authentication: needsToken(route) ? `${basic}, ${token}.` : `${basic}.`,
      errors: listMachineErrors(route),
      command: toMachineCommand(route, publicUrl),
    };
  });
  return { document, errors, everywhere: machineEverywhere, operations };
}

function describeV1Authentication({ access, scope }: V1Route): string {
  if (access === 'link') return 'No key is needed: the token of the link is in the body.';
  if (access !== undefined)
    return 'Send the `session` of the opened link as `Authorization: Bearer`. A key is not accepted.';
  const rights = scope === null ? 'Any key is accepted.' : `The key needs the scope \`${scope}\`.`;
  return `Send [an API key](/docs/authentication) as \`Authorization: Bearer\`. ${rights}`;
}

/** Writes a command for a shell in which WAYBILL_API_KEY is set, or WAYBILL_LINK_SESSION to the session of a link. */
export function toV1Command({ method, path, example, stream, access }: V1Route, publicUrl: string): string {
  const credential = access === undefined ? '$WAYBILL_API_KEY' : '$WAYBILL_LINK_SESSION';
  return toCommand([
    ...(access === 'link' ? [] : [`-H "Authorization: Bearer ${credential}"`]),
    ...(stream?.curl ?? (method === (example === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`])),
    ...(example === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoteJson(example)}`]),
    `"${publicUrl}/api/v1${toVariables(path)}"`,
  ]);
}

/** Writes a command for a shell in which WAYBILL_USER, WAYBILL_API_KEY and CSRF_TOKEN are set. */
export function toMachineCommand(route: MachineRoute, publicUrl: string): string {
  const { path, example, curl = [], exampleQuery } = route;
  const query = exampleQuery === undefined ? '' : `?${exampleQuery}`;
  return toCommand([
    '-u "$WAYBILL_USER:$WAYBILL_API_KEY"',
    ...(needsToken(route) ? ['-H "CSRF-Token: $CSRF_TOKEN"'] : []),
    ...curl,
    ...(example === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoteJson(example)}`]),
    `"${publicUrl}/$WAYBILL_USER${toVariables(path)}${query}"`,
  ]);
}

function toCommand(parts: readonly string[]): string {
  return `curl ${parts.join(' \\\n  ')}`;
}

function toVariables(path: string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => `$${name.toUpperCase()}`);
}

/** Writes JSON for a shell, indented like the other arguments. */
function quoteJson(value: object): string {
  const lines = JSON.stringify(value, null, 2).replaceAll("'", String.raw`'\''`).split('\n');
  return `'${lines.join('\n  ')}'`;
}
