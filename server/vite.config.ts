import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** The mark is not asked for by any script or stylesheet: the pages name it themselves. */
function mark(): Plugin {
  const path = 'src/views/assets/mark.svg';
  return {
    name: 'mark',
    generateBundle() {
      this.emitFile({
        type: 'asset',
        name: 'mark.svg',
        originalFileName: path,
        source: readFileSync(new URL(path, import.meta.url)),
      });
    },
  };
}

/** The browser's files: named by their content, so that they may be kept forever, and listed in manifest.json. */
export default defineConfig({
  publicDir: false,
  plugins: [mark()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'dist/assets',
    emptyOutDir: true,
    assetsDir: '.',
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: false,
    target: ['es2022', 'safari16', 'chrome110', 'firefox115'],
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
