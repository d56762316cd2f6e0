import { appendFileSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { commands, describeObservation, findAuditFault, type Operation } from './audited-operations.ts';
import { type Written, withWritten } from './watch-audit.ts';

const calls: { readonly request: FastifyRequest; readonly written: Written[] }[] = [];

/** Remembers what every request to a server of a test writes into the audit. */
export function watchRequests(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const written: Written[] = [];
    calls.push({ request, written });
    withWritten(written, done);
  });
}

/** Says which requests since the last call have written anything but what is declared for their route. */
export function findRequestFaults(): string[] {
  return calls.splice(0).flatMap(({ request, written }) => {
    const { method, url, config } = request.routeOptions;
    const name = `${[method].flat().join()} ${url}`;
    // A test may run a command while a request is on its way. No request can be one.
    const own = written.filter(({ author }) => author.kind !== 'command');
    return judge({ door: 'request', name, authentication: config.authentication }, own) ?? [];
  });
}

/** Runs a command of `waybilld admin`, and throws if it writes anything but what is declared for it. */
export async function watchCommand(words: readonly string[], run: () => Promise<unknown>): Promise<void> {
  const name = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((path) => path in commands) ?? '';
  await watch({ door: 'command', name }, run);
}

/** Runs a job of `work`, and throws if it writes anything but what is declared for it. */
export function watchJob<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  return watch({ door: 'job', name }, run);
}

async function watch<Result>(operation: Operation, run: () => Promise<Result>): Promise<Result> {
  const written: Written[] = [];
  const result = await withWritten(written, run);
  const fault = judge(operation, written);
  if (fault !== undefined) throw new Error(fault);
  return result;
}

const noted = new Set<string>();

/** Says what is wrong with what an operation has written, or notes what was shown for `npm run check`. */
function judge(operation: Operation, written: readonly Written[]): string | undefined {
  const fault = findAuditFault(operation, written);
  if (fault !== undefined) return `${operation.door} ${operation.name} ${fault}`;
  const file = process.env['WAYBILL_TEST_AUDIT_FILE'];
  if (!file) return undefined;
  for (const { action } of written) {
    const observation = describeObservation(operation.door, operation.name, action);
    if (!noted.has(observation)) appendFileSync(file, `${observation}\n`);
    noted.add(observation);
  }
  return undefined;
}
