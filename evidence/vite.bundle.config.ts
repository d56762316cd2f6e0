import { defineConfig } from 'vite';

/** The library in one file, with those that it uses, so that it runs in browsers and needs no other package. */
export default defineConfig({
  publicDir: false,
  build: {
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'index' },
    outDir: 'dist',
    // The types are there already.
    emptyOutDir: false,
    target: 'es2024',
    minify: false,
    license: { fileName: 'licences.md' },
  },
});
