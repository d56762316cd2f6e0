import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { App } from '../../http/shared/app.ts';
import { brandStylesheet } from '../../present/colors.ts';
import { bestEncoding, compressContent, type Encoding } from './compress.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
};

/**
 * The stylesheet and scripts of the pages. Their names depend on their content, so that a browser may keep them
 * forever.
 */
export interface Assets {
  /** Returns the address of the file that was built from a source file. */
  href(source: string): string;
  /** The addresses of the operator's own files. */
  readonly stylesheet?: string | undefined;
  readonly logo?: string | undefined;
  readonly files: ReadonlyMap<string, Buffer>;
}

export function readAssets(folder: URL): Assets {
  const manifest = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')) as Record<
    string,
    { file: string }
  >;
  const names = new Set(Object.values(manifest).map(({ file }) => file));
  return {
    files: new Map([...names].map((name) => [name, readFileSync(new URL(name, folder))])),
    href(source) {
      const built = manifest[source]?.file;
      if (built === undefined) throw new Error(`${source} was not built: run npm run build`);
      return `/assets/${built}`;
    },
  };
}

/** Returns the text of the file at an address, for a page that contains it. */
export function readAsset(assets: Assets, href: string): string {
  return assets.files.get(href.replace('/assets/', ''))?.toString('utf8') ?? '';
}

export interface Brand {
  /** As #rrggbb. */
  readonly color?: string | undefined;
  readonly logo?: { readonly type: 'svg' | 'png'; readonly content: Buffer } | undefined;
}

/** Adds the assets that show the operator's colour and logo. */
export function applyBrand(assets: Assets, { color, logo }: Brand): Assets {
  const files = new Map(assets.files);
  const add = (stem: string, extension: string, content: Buffer) => {
    const name = `${stem}-${createHash('sha256').update(content).digest('base64url').slice(0, 8)}.${extension}`;
    files.set(name, content);
    return `/assets/${name}`;
  };
  return {
    href: assets.href,
    stylesheet: color && add('brand', 'css', Buffer.from(brandStylesheet(color))),
    logo: logo && add('logo', logo.type, logo.content),
    files,
  };
}

export function serveAssets(app: App, assets: Assets): void {
  for (const [name, content] of assets.files) {
    // Each encoding is made once, on the first request for it.
    const forms = new Map<Encoding | undefined, Promise<string | Buffer>>();
    app.get(`/assets/${name}`, { config: { authentication: 'nobody' } }, async (request, reply) => {
      const encoding = bestEncoding(request.headers['accept-encoding']);
      const form = forms.get(encoding) ?? compressContent(content, encoding, 'best');
      forms.set(encoding, form);
      if (encoding) reply.header('content-encoding', encoding);
      reply.removeHeader('expires').removeHeader('pragma');
      return reply
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding')
        .type(types[extname(name)] ?? 'application/octet-stream')
        .send(await form);
    });
  }
}
