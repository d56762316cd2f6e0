import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const project = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Imports a module of the project that needs views, which Node cannot load as they are. It must not import anything later
 * than this.
 */
export async function importSource<Module>(path: string): Promise<Module> {
  const { module } = await runnerImport<Module>(`${project}${path}`, {
    configFile: false,
    root: `${project}server`,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // The sources of the other packages, which need not be built.
    environments: { inline: { resolve: { conditions: ['source'], externalConditions: ['source'] } } },
  });
  return module;
}
