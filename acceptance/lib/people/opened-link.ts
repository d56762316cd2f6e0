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
