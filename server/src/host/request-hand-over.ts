/**
 * Asks a `serve` process to hand its sockets over to a new process of the installed program: `systemctl reload` runs it,
 * with the socket of the main process. It ends when the new process serves requests. It is a program of its own, because
 * it needs nothing of the rest.
 */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { handedOver } from './hand-over.ts';

/** 0 if the new process serves, 1 if it did not start and the old one continues, 3 if this process cannot hand over. */
export async function requestHandOver(path: string): Promise<{ exitCode: 0 | 1 | 3; said: string }> {
  try {
    const said = (await text(connect(path))).trim();
    return { exitCode: said === handedOver ? 0 : 1, said: said || 'failed: the running process ended.' };
  } catch (error) {
    return { exitCode: 3, said: `${path} cannot be reached: ${(error as Error).message}` };
  }
}

if (import.meta.main) {
  const { exitCode, said } = await requestHandOver(process.argv[2] ?? '');
  process.stdout.write(`${said}\n`);
  process.exitCode = exitCode;
}
