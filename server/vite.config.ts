import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { icons, scripts, stylesheets, verifierScript } from './src/web/shared/asset-sources.ts';
import { buildVerifier } from './vite.verifier.ts';

const target = ['es2022', 'safari16', 'chrome110', 'firefox115'];

function emitIcons(): Plugin {
  return {
    name: 'emit-icons',
    generateBundle() {
      for (const path of Object.values(icons)) {
        const source = readFileSync(new URL(path, import.meta.url));
        this.emitFile({ type: 'asset', name: basename(path), originalFileName: path, source });
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
      this.emitFile({ type: 'asset', name: 'verify.js', originalFileName: verifierScript, source });
    },
  };
}

/** The browser's files: named by their content, so that they may be kept forever, and listed in manifest.json. */
export default defineConfig({
  publicDir: false,
  plugins: [emitIcons(), verifier()],
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
      input: [...Object.values(stylesheets), ...Object.values(scripts)],
      output: {
        entryFileNames: '[name]-[hash].js',
        chunkFileNames: '[name]-[hash].js',
        assetFileNames: '[name]-[hash][extname]',
      },
    },
  },
});
