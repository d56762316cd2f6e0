import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { demo } from '../servers/running-demo.ts';
import type { HttpResponse } from './response.ts';

interface Described {
  responses: Record<string, { content?: Record<string, { schema?: object }> } | undefined>;
}

interface Place {
  pattern: RegExp;
  methods: Record<string, Described | undefined>;
}

let places: Promise<Place[]> | undefined;
const ajv = new Ajv2020({ strict: false });
const validators = new WeakMap<object, ValidateFunction>();

/**
 * Compares a response with the server's own description of its API. Every response in the suite goes through here, so
 * anything missing or wrong in the description fails the test that encountered it.
 */
export async function assertDescribed(method: string, path: string, reply: HttpResponse): Promise<void> {
  const [pathname = ''] = path.split('?');
  const place = (await (places ??= readPlaces())).find(({ pattern }) => pattern.test(pathname));
  const operation = place?.methods[method.toLowerCase()];
  if (operation === undefined) return; // a page, or a path or method that does not exist
  const problem = problemWith(operation, reply, method);
  if (problem !== undefined)
    throw new Error(`openapi.json: ${method} ${pathname} the response was ${reply.status}, ${problem}`);
}

function problemWith({ responses }: Described, reply: HttpResponse, method: string): string | undefined {
  const response = responses[reply.status];
  if (response === undefined) return 'which is not described';
  if (response.content === undefined || method === 'HEAD') return undefined;
  const [type = ''] = (reply.headers['content-type'] ?? '').split(';');
  const content = response.content[type];
  if (content === undefined) return `as ${type}, which is not described`;
  if (type !== 'application/json' || content.schema === undefined) return undefined;
  const validate = validators.get(content.schema) ?? ajv.compile(content.schema);
  validators.set(content.schema, validate);
  if (validate(JSON.parse(reply.body.toString('utf8')))) return undefined;
  return `in another shape: ${ajv.errorsText(validate.errors)}`;
}

async function readPlaces(): Promise<Place[]> {
  const reply = await fetch(`${demo().base_url}/openapi.json`);
  const document = (await reply.json()) as { paths: Record<string, Place['methods']> };
  return Object.entries(document.paths).map(([path, methods]) => ({
    // An account is an address; anything else is a page for people.
    pattern: new RegExp(
      `^${path
        .replaceAll('.', '\\.')
        .replace('{user}', '[^/]+(?:@|%40)[^/]+')
        .replace(/\{\w+\}/g, '[^/]+')}$`,
    ),
    methods,
  }));
}
