import { readdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const source = fileURLToPath(new URL('src', import.meta.url));
const output = fileURLToPath(new URL('dist', import.meta.url));

/** Lets a module find files relative to its own place in src, though it becomes part of a file directly in dist. */
function keepOwnUrls(): Plugin {
  return {
    name: 'keep-own-urls',
    transform: {
      filter: { id: /\/server\/src\//, code: 'import.meta.url' },
      handler: (code, id) =>
        code.replaceAll('import.meta.url', `new URL('./${relative(source, id)}', import.meta.url).href`),
    },
  };
}

/** Deletes files of earlier builds once the new ones are written, so that a process that runs meanwhile finds its own. */
function deleteOldFiles(): Plugin {
  return {
    name: 'delete-old-files',
    writeBundle(_, bundle) {
      for (const name of readdirSync(output))
        if (name !== 'assets' && !(name in bundle)) rmSync(`${output}/${name}`, { recursive: true });
    },
  };
}

/** The queue looks for a configuration file while it is loaded, which Waybill does not have, with a large library. */
function skipQueueConfiguration(): Plugin {
  return {
    name: 'skip-queue-configuration',
    enforce: 'pre',
    resolveId: { filter: { id: /^cosmiconfig$/ }, handler: () => '\0cosmiconfig' },
    load: {
      filter: { id: /^\0cosmiconfig$/ },
      handler: () => 'export const cosmiconfigSync = () => ({ search: () => null });',
    },
  };
}

/**
 * Importing node:http as an ES module reads all of its exports, also those for which Node then loads the implementation of
 * `fetch`: a tenth of the time that a command takes. Only the others are imported.
 */
function importHttpWithoutFetch(): Plugin {
  const exports = Object.entries(Object.getOwnPropertyDescriptors(http))
    .filter(([, { get }]) => get === undefined)
    .map(([name]) => name);
  return {
    name: 'import-http-without-fetch',
    enforce: 'pre',
    resolveId: {
      order: 'pre',
      filter: { id: /^(?:node:)?http$/ },
      handler: (_id, _importer, { kind }) => (kind === 'require-call' ? null : '\0http'),
    },
    load: {
      filter: { id: /^\0http$/ },
      handler: () =>
        `const http = process.getBuiltinModule('node:http');\nexport default http;\nexport const { ${exports.join(', ')} } = http;`,
    },
  };
}

/** The program with its libraries in few files, because each file that Node loads costs time at every start. */
export default defineConfig({
  publicDir: false,
  plugins: [keepOwnUrls(), skipQueueConfiguration(), importHttpWithoutFetch(), deleteOldFiles()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  ssr: { noExternal: true },
  build: {
    ssr: true,
    outDir: 'dist',
    emptyOutDir: false,
    target: 'node24',
    rollupOptions: {
      // Both settings keep code that seems unused: the bundler would also remove calls that are made only because they
      // may throw, such as decodeURIComponent in a check of a URL.
      treeshake: false,
      input: [
        'src/main.ts',
        'src/services/health.ts',
        'src/host/request-hand-over.ts',
        'src/engines/pdf/receipt-worker.ts',
      ],
      output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js', minify: false },
    },
  },
});
