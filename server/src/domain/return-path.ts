const maxLength = 2_000;
/** Browsers drop tabs and newlines and read \ as /, so that neither may be in a path that is compared by its beginning. */
const unsafe = /[\p{Cc}\\\s]/u;

/**
 * The path of our own that a person returns to after signing in. Everything else becomes the start page: a link to our
 * sign-in page must not lead to another site.
 */
export function toReturnPath(text: string | undefined): string {
  if (text === undefined || text.length > maxLength || !text.startsWith('/') || unsafe.test(text)) return '/';
  const base = 'https://own.invalid';
  const url = URL.parse(text, base);
  // A path such as /..//example.org becomes //example.org, which is another site.
  if (url?.origin !== base || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}
