const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The form in which we write the id of a row. Anything else identifies nothing and must not reach a query. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
