/**
 * Prints how the files of a release were built: an in-toto statement with SLSA provenance. It is not signed: sign
 * SHA256SUMS, which covers it too.
 *
 *   node tools/release/provenance.ts SOURCE COMMIT FILE...
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';

export async function provenance(source: string, commit: string, files: readonly string[]): Promise<object> {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: await Promise.all(
      files.map(async (file) => ({ name: basename(file), digest: { sha256: await sha256(file) } })),
    ),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'tools/release/release',
        externalParameters: { command: 'npm run release -- build' },
        resolvedDependencies: [
          { uri: `git+${source}`, digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: await sha256('package-lock.json') } },
          { name: 'node', annotations: { version: process.versions.node } },
        ],
      },
      runDetails: { builder: { id: 'tools/release/release' } },
    },
  };
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

if (import.meta.main) {
  const [source = '', commit = '', ...files] = process.argv.slice(2);
  process.stdout.write(`${JSON.stringify(await provenance(source, commit, files), undefined, 2)}\n`);
}
