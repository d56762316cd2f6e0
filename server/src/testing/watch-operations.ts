import type { FastifyInstance, FastifyRequest } from 'fastify';
import { commands, findAuditFault, findAuthorFault, routes } from './audited-operations.ts';
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
  return calls.splice(0).flatMap(({ request, written: all }) => {
    // A test may run a command while a request is on its way. No request can be one.
    const written = all.filter(({ author }) => author.kind !== 'command');
    const { method, url, config } = request.routeOptions;
    const name = `${[method].flat().join()} ${url}`;
    const fault =
      findAuditFault(routes[name] ?? { nothing: '' }, written) ?? findAuthorFault(config.authentication, written);
    return fault === undefined ? [] : [`${name} ${fault}`];
  });
}

/** Runs a command of `waybilld admin`, and throws if it writes anything but what is declared for it. */
export async function watchCommand(words: readonly string[], run: () => Promise<unknown>): Promise<void> {
  const written: Written[] = [];
  await withWritten(written, run);
  const name = [3, 2, 1].map((count) => words.slice(0, count).join(' ')).find((path) => path in commands) ?? '';
  const fault = findAuditFault(commands[name] ?? { nothing: '' }, written);
  if (fault !== undefined) throw new Error(`waybilld admin ${name} ${fault}`);
}
