/** A browser that only ever visits this provider. */
export interface ProviderBrowser {
  /** Signs in on the provider's pages, and returns the URL to which the provider then sends the browser. */
  signIn(url: string, login: string): Promise<string>;
  /** Cancels on the provider's sign-in page. */
  cancel(url: string): Promise<string>;
  /** Signs out of the provider, and returns the URL to which it then sends the browser. */
  signOut(url: string): Promise<string>;
}

interface Page {
  readonly url: string;
  readonly html: string;
}

export function openBrowser(issuer: string): ProviderBrowser {
  const { origin } = new URL(issuer);
  const cookies = new Map<string, string>();

  /** Follows redirects until a page is shown, or until they lead away from the provider. */
  const visit = async (start: string, form?: Record<string, string>): Promise<Page | string> => {
    let url = start;
    let body = form && new URLSearchParams(form);
    for (let redirects = 0; redirects < 10; redirects += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, {
        method: body ? 'POST' : 'GET',
        body: body ?? null,
        headers: { cookie },
        redirect: 'manual',
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) return { url, html: await response.text() };
      await response.body?.cancel();
      url = new URL(location, url).href;
      body = undefined;
      if (new URL(url).origin !== origin) return url;
    }
    throw new Error('The provider redirects in a circle.');
  };

  /** Sends the form of a page with its hidden fields and these. */
  const submit = async ({ url, html }: Page, fields: Record<string, string>): Promise<Page | string> => {
    const [, action] = /<form[^>]* action="([^"]*)"/.exec(html) ?? [];
    if (action === undefined) throw new Error(`The provider shows no form, but ${html.slice(0, 2_000)}`);
    const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
    const given = [...hidden].map(([, name = '', value = '']) => [name, value]);
    return visit(new URL(action, url).href, { ...Object.fromEntries(given), ...fields });
  };

  return {
    async signIn(url, login) {
      let page = await visit(url);
      for (let steps = 0; typeof page !== 'string' && steps < 3; steps += 1) {
        page = await submit(page, findFields(page, login));
      }
      if (typeof page !== 'string') throw new Error(`The provider does not end: ${page.html.slice(0, 2_000)}`);
      return page;
    },
    async cancel(url) {
      const page = await visit(url);
      if (typeof page === 'string') return page;
      return (await visit(`${page.url}/abort`)) as string;
    },
    async signOut(url) {
      const page = await visit(url);
      if (typeof page === 'string') return page;
      return (await submit(page, { logout: 'yes', confirm: '1' })) as string;
    },
  };
}

/** The fields of the sign-in pages of oidc-provider and LemonLDAP::NG; a page without them asks for consent. */
function findFields({ html }: Page, login: string): Record<string, string> {
  const name = ['login', 'user'].find((field) => html.includes(`name="${field}"`));
  return name === undefined ? {} : { [name]: login, password: login };
}
