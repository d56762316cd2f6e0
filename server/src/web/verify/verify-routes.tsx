import { createHash } from 'node:crypto';
import type { App } from '../../http/shared/app.ts';
import { stylesheets, verifierScript } from '../shared/asset-sources.ts';
import { readAsset } from '../shared/assets.ts';
import { bestEncoding, compressContent, type Encoding } from '../shared/compress.ts';
import { chooseTranslator, type PageOptions } from '../shared/page.ts';
import { languageLinks, renderPage } from '../shared/render-page.tsx';
import { VerifyPage, verifyTexts, verifyTitle } from './verify-page.tsx';

/** A page in one language, as it was made for a policy. */
interface MadePage {
  readonly policy: string;
  readonly html: string;
  readonly encoded: Map<Encoding | undefined, Promise<string | Buffer>>;
}

/** `/verify`: verifies receipts in the browser. `readPolicy` returns the keys that this server names. */
export function verifyPage(app: App, readPolicy: () => Promise<string>, options: PageOptions): void {
  const { contentPolicy, render } = createVerifyPage(options);
  const pages = new Map<string, MadePage>();
  app.route({
    method: ['GET', 'HEAD'],
    url: '/verify',
    config: { authentication: 'nobody' },
    handler: async (request, reply) => {
      const { language } = chooseTranslator(options, request);
      const policy = await readPolicy();
      let page = pages.get(language);
      if (page?.policy !== policy) {
        page = { policy, html: render(language, policy), encoded: new Map() };
        pages.set(language, page);
      }
      const encoding = bestEncoding(request.headers['accept-encoding']);
      const body = page.encoded.get(encoding) ?? compressContent(page.html, encoding, 'best');
      page.encoded.set(encoding, body);
      if (encoding) reply.header('content-encoding', encoding);
      return reply
        .header('content-security-policy', `${contentPolicy}; frame-ancestors 'none'`)
        .header('vary', 'accept-encoding, accept-language')
        .type('text/html; charset=utf-8')
        .send(await body);
    },
  });
}

/**
 * Prepares the page: one file that contains its script and style, allowed by their hashes, and may load and send nothing. The
 * policy is also in the page, so that a copy on a disk is bound by it.
 */
export function createVerifyPage({ assets, translator: translators, operator }: PageOptions) {
  const brand = assets.stylesheet === undefined ? '' : readAsset(assets, assets.stylesheet);
  const style = `${readAsset(assets, assets.href(stylesheets.pages))}${brand}`;
  const script = readAsset(assets, assets.href(verifierScript));
  if (/<\/(?:script|style)/i.test(`${script}${style}`)) throw new Error('the script of /verify would end its element');
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const contentPolicy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; form-action 'none'; base-uri 'none'`;
  return {
    contentPolicy,
    render(language: string, policy: string): string {
      const translator = translators.for(language);
      return renderPage(translator, {
        title: verifyTitle(translator),
        page: <VerifyPage policy={policy} textsJson={verifyTexts(translator)} />,
        languageLinks: languageLinks(translators, '/verify'),
        inline: { style, script, policy: contentPolicy },
        operator,
      });
    },
  };
}
