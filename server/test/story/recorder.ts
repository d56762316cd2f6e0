import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import type { Example } from '../../src/api/v1/openapi/recorded-examples.ts';
import type { Route } from '../../src/api/v1/route.ts';
import { type AskV1, findRoute, requestV1 } from '../request-v1.ts';
import { ExchangeNames } from './exchange-names.ts';

/** Sends the requests of a story, and keeps those that are examples, with the values that examples show. */
export class Recorder {
  readonly names = new ExchangeNames();
  readonly examples: Record<string, Example> = {};
  readonly #app: FastifyInstance;

  constructor(app: FastifyInstance) {
    this.#app = app;
  }

  /** Sends a request that is the example of its operation, or has a name of its own. */
  async record(method: Route['method'], path: string, options: AskV1 & { name?: string; status?: number } = {}) {
    const route = findRoute(method, path);
    const name = options.name ?? route?.id ?? path;
    expect(this.examples, 'an operation has one example').not.toHaveProperty(name);
    this.names.begin(name);
    const response = await requestV1(this.#app, method, path, options);
    expect([name, response.status]).toEqual([name, options.status ?? route?.response.status]);
    const { body } = options;
    const isJson = String(response.headers['content-type']).includes('json');
    this.examples[name] = {
      path: this.names.applyToText(path),
      ...(body && !Buffer.isBuffer(body) ? { request: this.names.apply(body) as object } : {}),
      ...(isJson ? { response: this.names.apply(response.json()) as object } : {}),
    };
    return response;
  }

  /** Sends a request that only moves the story forward. */
  async ask(method: Route['method'], path: string, options: AskV1 = {}) {
    const response = await requestV1(this.#app, method, path, options);
    expect(response.status, response.text).toBeLessThan(300);
    return response;
  }

  /** Adds what was not the response to a request of /api/v1. */
  add(name: string, example: Pick<Example, 'request' | 'response'>): void {
    this.examples[name] = example;
  }
}
