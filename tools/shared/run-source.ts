/** Runs a script of the project that needs views: node tools/shared/run-source.ts SCRIPT [WORD...] */
import { importSource } from './import-source.ts';

// The script finds its own words where it would without this one.
const [script = ''] = process.argv.splice(2, 1);
await importSource(script);
