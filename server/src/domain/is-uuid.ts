const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What names a row, as we write it. Anything else names nothing, and must not reach a query. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
