import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toFailure } from '../cli/failure.ts';
import { cannotListen } from './service.ts';

const refuse = (code: string) => {
  try {
    return cannotListen('WAYBILL_LISTEN')(Object.assign(new Error(`listen ${code} 127.0.0.1:443`), { code }));
  } catch (error) {
    return toFailure(error);
  }
};

test('a port below 1024 that is refused is told with every line that docs/install.md adds to the unit', () => {
  const guide = readFileSync(new URL('../../../docs/install.md', import.meta.url), 'utf8');
  const [, block = ''] = /`systemctl edit waybill-serve`, and add:\n\n```ini\n([^`]+)```/.exec(guide) ?? [];
  const lines = block.trim().split('\n');
  expect(lines).toContain('AmbientCapabilities=CAP_NET_BIND_SERVICE');
  const failure = refuse('EACCES');
  expect(failure).toMatchObject({ exitCode: 78, message: expect.stringContaining('WAYBILL_LISTEN') });
  for (const line of lines) expect(failure?.message).toContain(line);
  expect(refuse('EADDRINUSE')?.message).not.toContain('AmbientCapabilities');
});
