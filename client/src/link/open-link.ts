import { DownloadLink } from './download-link.ts';
import { LinkConnection } from './link-connection.ts';
import type { LinkOptions } from './link-options.ts';
import { parseLink } from './parse-link.ts';
import { UploadLink } from './upload-link.ts';

/**
 * Opens a link, as its receiver does with a click: its sender sees that it was opened. Needs no account and no key.
 *
 * @example
 * const link = await openLink('https://files.example.org/d/…', { code: () => readCode() });
 * if (link.kind === 'download') for (const file of link.drop.files) await link.downloadToFile(file, safeLocalName(file.name));
 * await link.close();
 *
 * @param link The link: its path begins with `/d/` for files to download, or with `/u/` for a request for files.
 */
export async function openLink(link: string | URL, options: LinkOptions = {}): Promise<DownloadLink | UploadLink> {
  const parsed = parseLink(link, options.plainHttp ?? false);
  const connection = new LinkConnection(parsed, options);
  try {
    const { kind } = await connection.open();
    return kind === 'download'
      ? new DownloadLink(connection, await connection.api.get('drop', {}, options))
      : new UploadLink(connection, await connection.api.get('request', {}, options));
  } catch (error) {
    // A failed step may be tried again in the same session.
    if (options.sessionStore) connection.disconnect();
    else await connection.close();
    throw error;
  }
}
