import { demo } from '../servers/running-demo.ts';
import { eventually } from '../wait.ts';
import { linkTokens, waitForMail } from './mailbox.ts';

const host = () => ({ Host: new URL(demo().base_url).host });

/** Uploads files as a contact's browser does, without a browser. */
export class ContactUploader {
  readonly #path: string;
  readonly #headers: Record<string, string>;

  private constructor(path: string, cookie: string) {
    this.#path = path;
    this.#headers = { ...host(), cookie, 'Tus-Resumable': '1.0.0' };
  }

  /** Through the page that a mailed link leads to. */
  static async open(baseUrl: string, token: string): Promise<ContactUploader> {
    const opened = await fetch(`${baseUrl}/u/${token}`, {
      method: 'POST',
      headers: host(),
      body: new URLSearchParams({ gesture: 'pressed' }),
      redirect: 'manual',
    });
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    return new ContactUploader(opened.headers.get('location') ?? '', cookie);
  }

  /** Announces a file, by its path in a folder or its name; returns the path of its upload. */
  async announce(baseUrl: string, path: string, sizeBytes: number): Promise<string> {
    const metadata = { filename: path.slice(path.lastIndexOf('/') + 1), path };
    const created = await fetch(`${baseUrl}${this.#path}tus`, {
      method: 'POST',
      headers: {
        ...this.#headers,
        'Upload-Length': String(sizeBytes),
        'Upload-Metadata': Object.entries(metadata)
          .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
          .join(','),
      },
    });
    return created.headers.get('location') ?? '';
  }

  /** How many of its bytes are stored. */
  async offset(baseUrl: string, upload: string): Promise<number> {
    const response = await fetch(`${baseUrl}${upload}`, { method: 'HEAD', headers: this.#headers });
    return Number(response.headers.get('upload-offset') ?? Number.NaN);
  }

  /** Sends the rest of a file from an offset. */
  continue(baseUrl: string, upload: string, content: Buffer, offset = 0): Promise<Response> {
    return fetch(`${baseUrl}${upload}`, {
      method: 'PATCH',
      headers: {
        ...this.#headers,
        'Upload-Offset': String(offset),
        'Content-Type': 'application/offset+octet-stream',
      },
      body: new Uint8Array(content.subarray(offset)),
    });
  }

  send(baseUrl: string): Promise<Response> {
    return fetch(`${baseUrl}${this.#path}send`, {
      method: 'POST',
      headers: { ...this.#headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: '' }),
    });
  }
}

/** Sends a file as the contact whom a request has asked by mail. */
export async function sendAsContact(contact: string, name: string, content: Buffer): Promise<void> {
  const { base_url: baseUrl } = demo();
  const [token = ''] = linkTokens(await waitForMail(contact), 'u');
  const uploader = await ContactUploader.open(baseUrl, token);
  const upload = await uploader.announce(baseUrl, name, content.length);
  await uploader.continue(baseUrl, upload, content);
  // It waits for the virus scan.
  await eventually('it is sent', async () => (await uploader.send(baseUrl)).status === 200 || undefined);
}
