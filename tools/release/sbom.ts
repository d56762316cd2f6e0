/**
 * Prints what a release contains, as CycloneDX: the npm packages that are shipped, from the lockfile, and the Node that
 * they run on. `npm sbom` leaves out most of what the packages of a workspace depend on.
 *
 *   node tools/release/sbom.ts
 */
import { readFileSync } from 'node:fs';
import { listShippedPackages } from '../package/shipped-packages.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly type: 'library' | 'platform' | 'application';
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly ({ readonly license: { readonly id: string } } | { readonly expression: string })[];
}

export function makeSbom(nodeVersion: string = process.versions.node) {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const packages = new Map(
    listShippedPackages().map(([folder, { version: locked, integrity, license }]) => {
      const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return [`${name}@${locked}`, describe(name, locked, { integrity, license })];
    }),
  );
  const node = `pkg:generic/node@${nodeVersion}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...describe('waybill', version, { license: 'Apache-2.0' }), type: 'application' } },
    components: [
      { 'bom-ref': node, type: 'platform', name: 'node', version: nodeVersion, purl: node },
      ...packages.values(),
    ] satisfies Component[],
  };
}

function describe(
  name: string,
  version: string,
  { integrity, license }: { readonly integrity?: string | undefined; readonly license?: string | undefined },
): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm, digest] = integrity?.split(/-(.*)/s) ?? [];
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    ...(algorithm === 'sha512' &&
      digest && { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
    ...(license && {
      licenses: [/ (?:OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
  };
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(makeSbom(), null, 2)}\n`);
