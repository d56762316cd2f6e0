import { createHash } from 'node:crypto';
import { safeLocalPaths } from '@waybill/protocol';
import type { SealedFile } from '../../domain/files/file-store.ts';
import { type ZipLayout, zipLayout } from './zip-layout.ts';

/** Everything that determines the bytes of a ZIP. */
interface Zipped {
  readonly dropId: string;
  readonly createdAt: Date;
  readonly files: readonly Pick<SealedFile, 'path' | 'sizeBytes' | 'crc32' | 'sha256'>[];
}

interface KeptLayout {
  readonly layout: ZipLayout;
  readonly etag: string;
}

/** The memory that the objects of a file take, besides its headers. */
const fileBytes = 1_000;

/**
 * The layouts of the most recently requested ZIPs. A client that resumes a ZIP, or reads it in ranges, requests it many
 * times, and laying out a thousand files takes as long as a hundred other requests. A layout contains no key, and is
 * used only for exactly the same files: once a drop has changed, its old layout is never found again.
 */
export class ZipLayouts {
  readonly #limits: { readonly count: number; readonly bytes: number };
  /** The least recently used first. */
  readonly #kept = new Map<string, KeptLayout & { readonly bytes: number }>();
  #bytes = 0;

  constructor(limits: { count: number; bytes: number }) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#kept.size;
  }

  of(zipped: Zipped): KeptLayout {
    const key = cacheKey(zipped);
    const kept = this.#kept.get(key) ?? layOut(zipped);
    this.#purge(key);
    if (kept.bytes <= this.#limits.bytes) {
      this.#kept.set(key, kept);
      this.#bytes += kept.bytes;
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) break;
      this.#purge(oldest);
    }
    return kept;
  }

  #purge(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }
}

/** The paths of the files in the ZIP, and therefore of the unpacked files. */
export function zipPaths(files: readonly Pick<SealedFile, 'path'>[]): string[] {
  return safeLocalPaths(files.map(({ path }) => path));
}

function cacheKey({ dropId, createdAt, files }: Zipped): string {
  const described = files.map(({ path, sizeBytes, crc32 }) => [path, sizeBytes, crc32]);
  return createHash('sha256')
    .update(JSON.stringify([dropId, createdAt, described]))
    .update(Buffer.concat(files.map(({ sha256 }) => sha256)))
    .digest('base64');
}

function layOut({ createdAt, files }: Zipped): KeptLayout & { readonly bytes: number } {
  const paths = zipPaths(files);
  const entries = files.map(({ sizeBytes, crc32 }, index) => ({ path: paths[index] as string, sizeBytes, crc32 }));
  const layout = zipLayout(entries, createdAt);
  const headerBytes = layout.sizeBytes - files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { layout, etag: computeEtag(layout, files), bytes: headerBytes + files.length * fileBytes };
}

/** Digests all headers and the files between them, so that the ETag changes when either does. */
function computeEtag({ pieces }: ZipLayout, files: Zipped['files']): string {
  const hash = createHash('sha256');
  for (const piece of pieces) {
    if ('header' in piece) hash.update(piece.header());
    else hash.update(files[piece.entry]?.sha256 ?? '');
  }
  return `"${hash.digest('base64')}"`;
}
