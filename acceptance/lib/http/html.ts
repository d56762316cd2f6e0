/**
 * The values of the hidden inputs with this name, in a well-formed page. Attributes may come in any order and with
 * either kind of quotes, as a client of the original contract has to expect.
 */
export function hiddenInputs(html: string, name: string): string[] {
  const values: string[] = [];
  for (const [tag] of html.matchAll(/<input\b[^>]*>/gi)) {
    const attributes = new Map<string, string>();
    for (const [, key = '', double, single] of tag.matchAll(/([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)) {
      attributes.set(key.toLowerCase(), double ?? single ?? '');
    }
    if (attributes.get('type') === 'hidden' && attributes.get('name') === name) {
      values.push(attributes.get('value') ?? '');
    }
  }
  return values;
}
