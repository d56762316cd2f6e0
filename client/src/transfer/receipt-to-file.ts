import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CallOptions } from '../call-options.ts';
import type { ApiClient } from '../http/api-client.ts';
import { readPieces } from '../http/response.ts';
import { targetExistsError } from './download-to-file.ts';
import { moveUnlessExists, pathExists } from './move-unless-exists.ts';
import { nameTarget } from './name-target.ts';

/** Options of a receipt. */
export interface ReceiptOptions extends CallOptions {
  /** `pdf` for people, which has the JSON as an attachment, or `json` alone. Defaults to `pdf`. */
  format?: 'pdf' | 'json' | undefined;
  /** The language of the pages, such as `sv`. Defaults to that of the server. */
  language?: string | undefined;
  /** Replaces an existing file. By default, the call fails if the path exists. */
  overwrite?: boolean | undefined;
}

/**
 * Stores a receipt under a path, as it arrives. An incomplete one never has the final name.
 *
 * @internal
 */
export async function receiptToFile(
  api: ApiClient,
  resource: string,
  path: string,
  { format = 'pdf', language, overwrite, signal }: ReceiptOptions,
): Promise<void> {
  if (overwrite !== true && (await pathExists(path))) throw targetExistsError(path);
  const part = join(dirname(path), `.waybill-${api.generateKey()}.part`);
  try {
    const query = format === 'pdf' ? { language } : {};
    const storing = api.read(`${resource}.${format}`, query, { signal }, (response) =>
      pipeline(readPieces(response), createWriteStream(part)),
    );
    await nameTarget(path, storing);
    if (overwrite === true) await rename(part, path);
    else if (!(await moveUnlessExists(part, path))) throw targetExistsError(path);
  } finally {
    await rm(part, { force: true });
  }
}
