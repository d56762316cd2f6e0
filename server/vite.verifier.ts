import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { verifierScript } from './src/web/shared/asset-sources.ts';

/** Builds the script of the page that verifies receipts: in one piece, because the page contains it. */
export async function buildVerifier(target?: string[]): Promise<string> {
  const { output } = (await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    resolve: { conditions: ['source'] },
    build: {
      write: false,
      ...(target && { target }),
      modulePreload: false,
      rollupOptions: { input: verifierScript, output: { format: 'iife' } },
    },
  })) as Rolldown.RolldownOutput;
  const script = output.find((file) => file.type === 'chunk')?.code;
  if (script === undefined) throw new Error(`${verifierScript} was not built`);
  return script;
}
