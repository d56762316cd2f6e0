import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';
import manifest from './package.json' with { type: 'json' };

const fileName = `waybill-${manifest.version}.mjs`;
const licences = 'licences.md';

function inlineVersion(): Plugin {
  return {
    name: 'inline-version',
    enforce: 'pre',
    load: {
      filter: { id: /\/client\/src\/command\/version\.ts$/ },
      handler: () => `export const version = '${manifest.version}';`,
    },
  };
}

/** Puts the licences into the file itself, which people pass on alone. */
function appendLicences(): Plugin {
  return {
    name: 'append-licences',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const [file, notices] = [bundle[fileName], bundle[licences]];
        if (file?.type !== 'chunk' || notices?.type !== 'asset') throw new Error('The bundle has no licences.');
        const own = readFileSync(new URL('LICENSE', import.meta.url), 'utf8');
        const text = `Waybill is under this licence:\n\n${own}\n${String(notices.source)}`;
        file.code += `\n/*!\n${text.replaceAll('*/', '* /')}*/\n`;
        delete bundle[licences];
      },
    },
  };
}

/** The command in one file, with the libraries that it uses, which runs with Node alone. */
export default defineConfig({
  publicDir: false,
  plugins: [inlineVersion(), appendLicences()],
  ssr: { noExternal: true, resolve: { conditions: ['source'] } },
  build: {
    ssr: 'src/command/main.ts',
    emptyOutDir: false,
    target: 'node22',
    license: { fileName: licences },
    rollupOptions: {
      // The bundler would also remove calls that are made only because they may throw.
      treeshake: false,
      output: { entryFileNames: fileName, codeSplitting: false, minify: false },
    },
  },
});
