/** The values that differ, as they were and as they are, under the same names. They are compared as they are recorded. */
export function findDifference<Values extends object>(
  before: Values,
  after: Values,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const names = Object.keys(after) as (keyof Values & string)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const select = (values: Values) => Object.fromEntries(changed.map((name) => [name, values[name]]));
  return { before: select(before), after: select(after) };
}
