import { Type } from 'typebox';
import type { Deprecation } from '../src/api/v1/deprecation.ts';
import { route } from '../src/api/v1/route.ts';

export const ofOperation: Deprecation = { since: '2031-01-31', until: '2032-01-31', instead: 'Use `GET /new`.' };
export const ofParameter: Deprecation = { ...ofOperation, parameter: 'old', instead: 'Use `new`.' };
/** An operation of /api/v1 for tests, with what is deprecated of it. */
export const plantRoute = (path: string, deprecations: readonly Deprecation[]) =>
  route({
    method: 'GET',
    path,
    id: 'readPlanted',
    summary: 'Get it',
    scope: null,
    query: Type.Object({
      old: Type.Optional(Type.String({ description: 'A value.' })),
      new: Type.Optional(Type.String()),
    }),
    response: { status: 200, description: 'It.', schema: Type.Object({}) },
    errors: [],
    deprecations,
    handle: async () => ({ body: {} }),
  });
