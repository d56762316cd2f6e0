/** The cookie and address that a browser has after a person opened a link, obtained without a browser. */
export interface OpenedLink {
  /** The address of the receiver's page. */
  readonly page: string;
  readonly headers: { readonly cookie: string };
}

export async function openedLink(link: string): Promise<OpenedLink> {
  const body = new URLSearchParams({ gesture: 'pressed' });
  const response = await fetch(link, { method: 'POST', body, redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status !== 303 || location === null) throw new Error(`the link did not open: ${response.status}`);
  return {
    page: new URL(location, link).href,
    headers: { cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '' },
  };
}

/** Opens a link and downloads all of its files as a ZIP; returns its size. */
export async function downloadAll(link: string): Promise<number> {
  const { page, headers } = await openedLink(link);
  return downloadZip({ page, headers });
}

export async function downloadZip({ page, headers }: OpenedLink): Promise<number> {
  const response = await fetch(`${page}all.zip`, { headers });
  if (response.status !== 200) throw new Error(`the files were not sent: ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.length;
  return bytes;
}
