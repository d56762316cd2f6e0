/** Checks of JSON values that are also their types, so that neither can differ from the other. */

export type Check<T> = (value: unknown) => value is T;
export type Checked<C> = C extends Check<infer T> ? T : never;

type Members = Readonly<Record<string, Check<unknown>>>;
type OptionalKeys<M> = { [K in keyof M]: undefined extends Checked<M[K]> ? K : never }[keyof M];
type Shape<M> = { readonly [K in Exclude<keyof M, OptionalKeys<M>>]: Checked<M[K]> } & {
  readonly [K in OptionalKeys<M>]?: Exclude<Checked<M[K]>, undefined>;
};

export function text(maxLength = 4_096): Check<string> {
  return (value): value is string => typeof value === 'string' && value.length <= maxLength;
}

export function matching(pattern: RegExp): Check<string> {
  return (value): value is string => typeof value === 'string' && pattern.test(value);
}

export function oneOf<const T extends string>(...texts: readonly T[]): Check<T> {
  return (value): value is T => texts.some((other) => other === value);
}

export const isBoolean: Check<boolean> = (value): value is boolean => typeof value === 'boolean';

export const isNatural: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value): value is T | null => value === null || check(value);
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

export function list<T>(check: Check<T>, min: number, max: number): Check<readonly T[]> {
  return (value): value is readonly T[] =>
    Array.isArray(value) && value.length >= min && value.length <= max && value.every(check);
}

/** An object with these members, and with no others. */
export function exact<M extends Members>(members: M): Check<Shape<M>> {
  const hasMembers = open(members);
  return (value): value is Shape<M> =>
    hasMembers(value) && Object.keys(value).every((name) => Object.hasOwn(members, name));
}

/** An object with these members, and perhaps with others that a later version knows. */
export function open<M extends Members>(members: M): Check<Shape<M>> {
  return (value): value is Shape<M> =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(members).every(([name, check]) =>
      check(Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined),
    );
}
