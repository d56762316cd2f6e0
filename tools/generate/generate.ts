/** Writes the files that are generated from the code. Run it as `npm run generate`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** The contents of each generated file by its path. A generator may read files that an earlier one writes. */
const generators: Record<string, () => Promise<Record<string, string>>> = {
  'client-types': async () => {
    const { renderClientCopy, renderClientErrors, renderClientTypes } = await import('./client-types.ts');
    return {
      'client/src/generated/wire.ts': renderClientTypes(),
      'client/src/generated/errors.ts': renderClientErrors(),
      'client/src/generated/safe-name.ts': renderClientCopy('safe-name.ts'),
      'client/src/generated/csv.ts': renderClientCopy('csv.ts'),
    };
  },
  'python-types': async () => {
    const { renderPythonErrors, renderPythonTypes } = await import('./python-types.ts');
    return {
      'python/src/waybill/wire.py': renderPythonTypes(),
      'python/src/waybill/_retryable_errors.py': renderPythonErrors(),
    };
  },
  'sdk-docs': async () => ({ 'docs/sdk.md': (await import('./sdk-docs.ts')).renderSdkDocument() }),
  'config-docs': async () => ({
    'docs/configuration.md': (await import('./config-docs.ts')).renderConfigurationDocument(),
  }),
  'monitoring-docs': async () => ({
    'docs/monitoring.md': await (await import('./monitoring-docs.ts')).renderMonitoringDocument(),
  }),
  'reference-guides': async () => ({
    'server/src/web/reference/generated/guides.ts': (await import('./reference-guides.ts')).renderReferenceGuides(),
  }),
};
const usage = `Usage: npm run generate [-- [--check] [NAME...]]

Writes the files that are generated from the code, or only those of the generators NAME:

  client-types      wire.ts, errors.ts, safe-name.ts and csv.ts in client/src/generated, from the protocol
  python-types      wire.py and _retryable_errors.py in python/src/waybill, from the protocol
  sdk-docs          docs/sdk.md, from the types that the SDK exports
  config-docs       docs/configuration.md, from the tables in server/src/config/settings/
  monitoring-docs   the table of metrics in docs/monitoring.md, from server/src/observe/
  reference-guides  guides.ts in server/src/web/reference/generated, from docs/api-v1.md and docs/api.md

  --check           write nothing, and exit with 1 if a file is out of date

npm run pictures draws the pictures of the documents.
`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
});
const isKnown = (name: string) => name in generators;
if (options.help || !positionals.every(isKnown)) {
  (options.help ? process.stdout : process.stderr).write(usage);
  process.exit(options.help ? 0 : 2);
}

for (const name of positionals.length > 0 ? positionals : Object.keys(generators)) {
  const files = (await generators[name]?.()) ?? {};
  for (const [path, content] of Object.entries(files)) {
    if (readFileSync(project + path, 'utf8') === content) continue;
    process.stdout.write(`${path} ${options.check ? 'is out of date: run npm run generate' : 'written'}\n`);
    if (options.check) process.exitCode = 1;
    else writeFileSync(project + path, content);
  }
}
