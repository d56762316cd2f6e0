import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { importSource } from '../shared/import-source.ts';
import type { Picture } from './render.ts';
import { createStage } from './stage.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const assets = `${project}server/dist/assets`;

export interface Stage {
  readonly pictures: readonly Picture[];
  readonly origin: string;
  readonly close: () => void;
}

/** Renders everything there is to draw, from the built assets, and serves it. */
export async function openStage(language: string, isBranded: boolean): Promise<Stage> {
  const manifest = JSON.parse(readFileSync(`${assets}/manifest.json`, 'utf8')) as Record<string, { file: string }>;
  const toAsset = (source: string): string => {
    const file = manifest[source]?.file;
    if (file === undefined) throw new Error(`tools/build-assets has not built ${source}.`);
    return `/assets/${file}`;
  };
  const module = await importSource<typeof import('./render.ts')>('tools/gallery/render.ts');
  const pictures = module.pictures(language, toAsset, isBranded);
  const server = createStage(
    assets,
    new Map(pictures.map(({ name, html, text }) => [name, { html, mail: text !== undefined }])),
    module.brandFiles,
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    pictures,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
