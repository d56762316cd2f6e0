import type { FastifyReply, FastifyRequest } from 'fastify';
import type { VNode } from 'preact';
import { inTurns } from '../../domain/flow/in-turns.ts';
import type { Operator } from '../../present/operator.ts';
import { acceptedLanguages, type Translator, type Translators } from '../../present/texts/translator.ts';
import { icons, type Script, scripts, stylesheets } from './asset-sources.ts';
import type { Assets } from './assets.ts';
import { bestEncoding, compressContent, type Encoding } from './compress.ts';
import { languageLinks, renderParts } from './render-page.tsx';

export interface PageOptions {
  readonly translator: Translators;
  readonly assets: Assets;
  readonly operator: Operator;
  /** Whether the public URL is https, so that cookies are only sent over it. */
  readonly secureCookies: boolean;
}

/** Allows only our own files: no inline code, and no framing by other pages. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Takes the reader's choice, otherwise the receiver's language as given by the sender, otherwise the browser's. An empty
 * time zone is that of the server.
 */
export function chooseTranslator(
  options: PageOptions,
  request: FastifyRequest,
  receiverLanguage = '',
  timeZone = '',
): Translator {
  const { lang } = request.query as { lang?: unknown };
  const chosen = typeof lang === 'string' ? lang : '';
  const browser = acceptedLanguages(request.headers['accept-language']);
  return options.translator.for([chosen, receiverLanguage, ...browser].filter(Boolean), timeZone || undefined);
}

/** Adds the language that the reader chose to the path. */
export function withChosenLanguage(request: FastifyRequest, path: string): string {
  const { lang } = request.query as { lang?: unknown };
  if (typeof lang !== 'string') return path;
  return `${path}${path.includes('?') ? '&' : '?'}lang=${encodeURIComponent(lang)}`;
}

const usualScripts = { ticket: 'gesture', app: 'frame', 'sign-in': 'sign-in' } as const;

export interface PageContent {
  title: string;
  page: VNode;
  script?: Script;
  /** A stylesheet of its own, besides that of all pages. */
  stylesheet?: 'reference';
  /** The stylesheet of a part that few pages have. */
  partStylesheet?: 'composer';
  /** The frame of a page for people with an account, which has its own stylesheet: the page draws it. */
  layout?: 'app' | 'sign-in';
  /** Where the page is found in other languages, if it is the result of a POST. */
  path?: string;
  /** Whether the page exists in one language only. */
  languages?: 'one';
}

export async function replyWithPage(
  options: PageOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  translator: Translator,
  content: PageContent,
): Promise<FastifyReply> {
  const encoding = bestEncoding(request.headers['accept-encoding']);
  const html = await renderContent(options, request, translator, content);
  return replyWithEncodedBody(reply, encoding, await compressContent(html, encoding, 'quick'));
}

/**
 * Sends a page that is the same for everybody. It is rendered and compressed once for each encoding, because it is long
 * and anyone can ask for it.
 */
export class SharedPage {
  readonly #options: PageOptions;
  readonly #translator: Translator;
  readonly #content: PageContent;
  readonly #encoded = new Map<Encoding | undefined, Promise<string | Buffer>>();

  constructor(options: PageOptions, translator: Translator, content: PageContent) {
    this.#options = options;
    this.#translator = translator;
    this.#content = { ...content, languages: 'one' };
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = bestEncoding(request.headers['accept-encoding']);
    const body =
      this.#encoded.get(encoding) ??
      renderContent(this.#options, request, this.#translator, this.#content).then((html) =>
        compressContent(html, encoding, 'quick'),
      );
    this.#encoded.set(encoding, body);
    return replyWithEncodedBody(reply, encoding, await body);
  }
}

async function renderContent(
  options: PageOptions,
  request: FastifyRequest,
  translator: Translator,
  content: PageContent,
): Promise<Buffer> {
  const { layout, stylesheet = layout } = content;
  // The result of a POST cannot be requested again in another language.
  const path = content.path ?? (request.method === 'POST' ? undefined : request.url.split('?', 1)[0]);
  const parts = renderParts(translator, {
    title: content.title,
    layout,
    page: content.page,
    languageLinks: path === undefined || content.languages === 'one' ? [] : languageLinks(options.translator, path),
    stylesheet: options.assets.href(stylesheets.pages),
    ownStylesheets: ([stylesheet, content.partStylesheet] as const).flatMap((name) =>
      name === undefined ? [] : [options.assets.href(stylesheets[name])],
    ),
    script: options.assets.href(scripts[content.script ?? usualScripts[layout ?? 'ticket']]),
    icon: options.assets.href(icons.mark),
    ...(layout && {
      manifest: '/manifest.webmanifest',
      touchIcon: options.assets.href(icons.app192),
    }),
    brandStylesheet: options.assets.stylesheet,
    logo: options.assets.logo,
    operator: options.operator,
  });
  // Encoding all of a long page at once takes as long as drawing it.
  const encoded: Buffer[] = [];
  for await (const part of inTurns(parts)) encoded.push(Buffer.from(part));
  return Buffer.concat(encoded);
}

function replyWithEncodedBody(
  reply: FastifyReply,
  encoding: Encoding | undefined,
  body: string | Buffer,
): FastifyReply {
  if (encoding) reply.header('content-encoding', encoding);
  return reply
    .header('content-security-policy', policy)
    .header('vary', 'accept-encoding, accept-language, cookie')
    .type('text/html; charset=utf-8')
    .send(body);
}
