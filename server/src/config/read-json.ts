/**
 * Reads one value of a settings file; `place` is where it is, for people. Throws an error whose message names the place
 * and never repeats the value, which may be a secret in the wrong place. A library for schemas would take longer to load
 * than all other settings to read, at every start of every command.
 */
export type Read<Value> = (value: unknown, place: string) => Value;

const usual = /^\P{Cc}{1,255}$/u;

/** A text that matches the pattern. The description continues "must be". */
export function readText<Text extends string = string>(description: string, pattern = usual): Read<Text> {
  return (value, place) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw new Error(`${place} must be ${description}`);
    return value as Text;
  };
}

export const readFlag: Read<boolean> = (value, place) => {
  if (typeof value !== 'boolean') throw new Error(`${place} must be true or false`);
  return value;
};

/** From one to `max` values. */
export function readList<Item>(read: Read<Item>, description: string, max = 1_000): Read<readonly Item[]> {
  return (value, place) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > max) {
      throw new Error(`${place} must be ${description}`);
    }
    return value.map((item) => read(item, place));
  };
}

export function readOptional<Value>(read: Read<Value>): Read<Value | undefined> {
  return (value, place) => (value === undefined ? undefined : read(value, place));
}

type Fields = Readonly<Record<string, Read<unknown>>>;

/** An object with these fields and no others: a field that is misspelt would otherwise have no effect. */
export function readObject<const Given extends Fields>(
  fields: Given,
): Read<{ readonly [Name in keyof Given]: ReturnType<Given[Name]> }> {
  return (value, place) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Error(`${place} must be an object with fields such as "${Object.keys(fields)[0]}"`);
    }
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(fields, name));
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(', ');
      throw new Error(`${names} in ${place} is not a field that exists`);
    }
    const given = value as Readonly<Record<string, unknown>>;
    const entries = Object.entries(fields).map(([name, read]) => [name, read(given[name], `"${name}" of ${place}`)]);
    return Object.fromEntries(entries) as { [Name in keyof Given]: ReturnType<Given[Name]> };
  };
}
