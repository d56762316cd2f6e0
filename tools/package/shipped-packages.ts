/**
 * Prints the folders of the npm packages that a package or an image of Waybill contains, each followed by a NUL: all
 * that are installed and not for development, and those that are part of the bundle of @waybill/evidence. Types are for a
 * compiler.
 */
import { existsSync, readFileSync } from 'node:fs';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const root = new URL('../../', import.meta.url);
const forCompilers = /node_modules\/(?:@types|@typescript|typescript|undici-types)(?:\/|$)/;

/** By their folders in the checkout. A package that is nested in another one is listed itself. */
export function listShippedPackages(): [folder: string, LockedPackage][] {
  const { packages } = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const bundled = new Set(
    Object.keys(packages['evidence']?.devDependencies ?? {}).map((name) => `node_modules/${name}`),
  );
  return Object.entries(packages).filter(
    ([folder, { dev, link }]) =>
      folder.includes('node_modules/') &&
      (!dev || bundled.has(folder)) &&
      !link &&
      !forCompilers.test(folder) &&
      existsSync(new URL(folder, root)),
  );
}

if (import.meta.main) {
  process.stdout.write(
    listShippedPackages()
      .map(([folder]) => folder)
      .join('\0'),
  );
}
