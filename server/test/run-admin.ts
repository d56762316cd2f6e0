import { vi } from 'vitest';
import type { AdminEngines } from '../src/admin/command.ts';
import type { Diagnose } from '../src/admin/doctor.ts';
import { makeProgram } from '../src/cli/program.ts';
import type { TestExchange } from './exchange.ts';
import { watchCommand } from './watch-operations.ts';

/**
 * Runs `waybilld admin` with the engines of a test, and returns what it prints. The settings of a test are not in its
 * environment, so the doctor finds what it is given.
 */
export async function runAdmin(
  { engines, diagnose = async () => [] }: Pick<TestExchange, 'engines'> & { readonly diagnose?: Diagnose },
  ...words: string[]
): Promise<string> {
  const never = async () => undefined as never;
  const roles = {
    serve: never,
    work: never,
    withEngines: (work: (given: AdminEngines) => Promise<void>) => work(engines as unknown as AdminEngines),
    diagnose,
    setUp: never,
  };
  const output: string[] = [];
  using _quiet = vi.spyOn(process.stdout, 'write').mockImplementation((text) => output.push(String(text)) > 0);
  const program = makeProgram(roles, '1.2.3');
  await watchCommand(words, () => program.parseAsync(['admin', ...words], { from: 'user' }));
  return output.join('');
}
