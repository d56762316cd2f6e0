import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { scripts } from '../../server/src/web/shared/asset-sources.ts';

const root = fileURLToPath(new URL('../../server/', import.meta.url));

test('the files that browsers load contain views, and nothing of the domain', async () => {
  const { output } = (await build({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
    build: { write: false },
  })) as Rolldown.RolldownOutput;
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const own = modules.filter((id) => id.startsWith(root)).map((id) => id.slice(root.length));
  for (const script of Object.values(scripts)) expect(own).toContain(script);
  expect(own.filter((path) => !/^src\/(?:web|present)\//.test(path))).toEqual([]);
  expect(own.filter((path) => /routes\.tsx?$/.test(path))).toEqual([]);
});
