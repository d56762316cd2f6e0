import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';
import { buildVerifier, verifierPath } from './vite.verifier.ts';

const target = ['es2022', 'safari16', 'chrome110', 'firefox115'];

/** The mark and the icons of the installed app are not asked for by any script or stylesheet: the pages name them. */
function icons(): Plugin {
  return {
    name: 'icons',
    generateBundle() {
      for (const name of ['mark.svg', 'app-icon-192.png', 'app-icon-512.png']) {
        const path = `src/views/assets/${name}`;
        const source = readFileSync(new URL(path, import.meta.url));
        this.emitFile({ type: 'asset', name, originalFileName: path, source });
      }
    },
  };
}

/** The script that shares no file with those of other pages. */
function verifier(): Plugin {
  return {
    name: 'verifier',
    async generateBundle() {
      const source = await buildVerifier(target);
      this.emitFile({ type: 'asset', name: 'verify.js', originalFileName: verifierPath, source });
    },
  };
}

/** The browser's files: named by their content, so that they may be kept forever, and listed in manifest.json. */
export default defineConfig({
  publicDir: false,
  plugins: [icons(), verifier()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist/assets',
    emptyOutDir: true,
    assetsDir: '.',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: false,
    target,
    rollupOptions: {
      input: [
        ...['pages.css', 'reference.css', 'app.css'].map((stylesheet) => `src/views/assets/${stylesheet}`),
        ...[
          'gesture.ts',
          'download.ts',
          'upload.tsx',
          'reference.ts',
          'frame.ts',
          'sign-in.ts',
          'settings.ts',
          'send.tsx',
          'request.ts',
        ].map((script) => `src/views/islands/${script}`),
      ],
      output: {
        entryFileNames: '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
      },
    },
  },
});
