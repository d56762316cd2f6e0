// Every operation says what it writes into the audit. Tests of requests and commands compare it with what is written.
import type { Command } from 'commander';
import type { RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { type AuditAction, auditActions } from './domain/audit/actions.ts';
import type { Engines } from './domain/engines.ts';
import { buildServer, type ServerEngines } from './http/server.ts';
import { longTasks, tasks, webhookTasks } from './jobs/jobs.ts';
import { makeProgram } from './program.ts';
import { commands, findAuditFault, findAuthorFault, jobs, listAllowed, routes } from './testing/audited-operations.ts';
import { testServerOptions } from './testing/server.ts';

async function listRoutes(): Promise<string[]> {
  const app = buildServer({} as ServerEngines, testServerOptions);
  const found: string[] = [];
  app.addHook('onRoute', ({ method, url }: RouteOptions) => void found.push(`${[method].flat().join()} ${url}`));
  await app.ready();
  await app.close();
  return found;
}

test('every route that may change something declares what it records, and no other route is declared', async () => {
  const found = await listRoutes();
  const isReading = (route: string) => /^(?:GET|HEAD|OPTIONS|GET,HEAD) /.test(route);
  expect(found.filter((route) => !isReading(route) && !(route in routes))).toEqual([]);
  expect(Object.keys(routes).filter((route) => !found.includes(route))).toEqual([]);
});

test('every command declares what it records, and no other command is declared', () => {
  const never = async () => undefined as never;
  const roles = { serve: never, work: never, withEngines: never, diagnose: never, setUp: never };
  const list = (command: Command, path: readonly string[]): string[] =>
    command.commands.length === 0
      ? [path.join(' ')]
      : command.commands.flatMap((each) => list(each, [...path, each.name()]));
  const admin = makeProgram(roles, '1').commands.find((command) => command.name() === 'admin') as Command;
  expect(list(admin, []).toSorted()).toEqual(Object.keys(commands).toSorted());
});

test('every job declares what it records, and no other job is declared', () => {
  const found = [tasks, longTasks, webhookTasks].flatMap((make) => Object.keys(make({} as Engines)));
  expect(found.toSorted()).toEqual(Object.keys(jobs).toSorted());
});

test('every action is declared by an operation', () => {
  const declared = new Set([routes, commands, jobs].flatMap((table) => Object.values(table).flatMap(listAllowed)));
  expect(Object.keys(auditActions).filter((action) => !declared.has(action as AuditAction))).toEqual([]);
});

test('what an operation writes is compared with what it declares', () => {
  const write = (...actions: AuditAction[]) =>
    actions.map((action) => ({ action, author: { kind: 'key', id: 'x', name: 'x' } as const }));
  expect(findAuditFault('drop.created', write('drop.created'))).toBeUndefined();
  expect(findAuditFault('drop.created', write('drop.created', 'drop.created'))).toBe('writes 2 entries');
  expect(findAuditFault({ oneOf: ['drop.created', 'drop.revoked'] }, write('drop.revoked'))).toBeUndefined();
  expect(findAuditFault({ eachOf: ['file.uploaded'] }, write('file.uploaded', 'file.uploaded'))).toBeUndefined();
  expect(findAuditFault({ nothing: '' }, write('drop.created'))).toContain('not declared');
  expect(findAuthorFault('key', write('drop.created'))).toBeUndefined();
  expect(findAuthorFault('member', write('drop.created'))).toBe('writes drop.created by a key');
});
