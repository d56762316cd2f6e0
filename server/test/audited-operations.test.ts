// Every operation declares what it writes into the audit. Tests of requests, commands and jobs compare it with what is
// written, and `npm run check` fails if no test has shown something that is declared.
import type { Command } from 'commander';
import type { RouteOptions } from 'fastify';
import { expect, test } from 'vitest';
import { makeProgram } from '../src/cli/program.ts';
import { type AuditAction, auditActions } from '../src/domain/audit/actions.ts';
import type { Engines } from '../src/domain/engines.ts';
import { longTasks, tasks, webhookTasks } from '../src/jobs/jobs.ts';
import * as loops from '../src/jobs/loops.ts';
import { buildServer, type ServerEngines } from '../src/services/build-server.ts';
import {
  commands,
  findAuditFault,
  jobs,
  listDeclared,
  type Operation,
  routes,
  type Written,
} from './audited-operations.ts';
import { testServerOptions } from './server.ts';

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

/** The job that each function of the loops starts. */
const startedLoops = {
  startSequencing: 'sequence',
  startCosigning: 'cosign',
  startStamping: 'stamp',
  startSweeping: 'sweep',
  startScrubbing: 'scrub',
  startForwardingAudit: 'forward-audit',
  startReadingBounces: 'read-bounces',
};

test('every job declares what it records, and no other job is declared', () => {
  const starting = Object.keys(loops).filter((name) => name.startsWith('start'));
  expect(starting.toSorted()).toEqual(Object.keys(startedLoops).toSorted());
  const queued = [tasks, longTasks, webhookTasks].flatMap((make) => Object.keys(make({} as Engines)));
  expect([...Object.values(startedLoops), ...queued].toSorted()).toEqual(Object.keys(jobs).toSorted());
});

test('every action is declared by an operation', () => {
  const declared = listDeclared().join('\n');
  expect(Object.keys(auditActions).filter((action) => !declared.includes(`: ${action}`))).toEqual([]);
});

test('what an operation writes is compared with what it declares', () => {
  const write = (...actions: AuditAction[]): Written[] =>
    actions.map((action) => ({ action, author: { kind: 'key', id: 'x', name: 'x', address: '192.0.2.1' } }));
  const route = (name: string): Operation => ({ door: 'request', name, authentication: 'key' });
  const create = route('POST /api/v1/requests');
  expect(findAuditFault(create, write('request.created'))).toBeUndefined();
  expect(findAuditFault(create, write('request.created', 'request.created'))).toBe('writes 2 entries');
  expect(findAuditFault(route('POST /share'), write('file.uploaded', 'file.uploaded'))).toBeUndefined();
  expect(findAuditFault(route('GET /api/v1/drops'), write('request.created'))).toContain('not declared');
  expect(findAuditFault({ ...create, authentication: 'member' } as Operation, write('request.created'))).toBe(
    'writes request.created by a key',
  );
  expect(findAuditFault({ door: 'command', name: 'drops revoke' }, write('drop.revoked'))).toContain('by a key');
  expect(findAuditFault({ door: 'job', name: 'recover-person' }, write('person.recovered'))).toContain('by a key');
  const author = { kind: 'key', id: 'x', name: 'x' } as const;
  expect(findAuditFault(create, [{ action: 'request.created', author }])).toContain('without the address');
  const change = route('PATCH /api/v1/webhooks/:id');
  const [entry] = write('webhook.changed') as [Written];
  expect(findAuditFault(change, [entry])).toContain('without the values before and after');
  const values = { before: { url: 'a' }, after: { url: 'b' } };
  expect(findAuditFault(change, [{ ...entry, ...values }])).toBeUndefined();
  expect(findAuditFault(change, [{ ...entry, ...values, before: {} }])).toContain('before and after');
});
