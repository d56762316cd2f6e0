import { type Command, InvalidArgumentError, Option } from 'commander';

/** Adds examples to the end of the command's help. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

/** Parses an option that can be repeated. */
export function collectValues(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/**
 * Makes an option mandatory. Unlike Commander's own check, this one follows the check for unknown options: otherwise a
 * misspelled option would be reported as missing, and not as unknown.
 */
export function requireOption(command: Command, name: string): Command {
  return command.hook('preAction', () => {
    const option = command.options.find((one) => one.attributeName() === name);
    if (command.getOptionValue(name) === undefined) command.error(`required option '${option?.flags}' not specified`);
  });
}

export function wholeNumberParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };
}

/** Parses a text that follows a rule. */
export function validateWith(isValid: (value: string) => boolean, rule: string): (value: string) => string {
  return (value) => {
    if (!isValid(value)) throw new InvalidArgumentError(`Use ${rule}.`);
    return value;
  };
}

/** Parses a local time, or a time with a time zone. */
export function parseTime(text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text);
  // JavaScript would parse a date alone as midnight in UTC.
  const date = new Date(/^.{10}$/.test(text) ? `${text}T00:00` : text);
  if (isTime && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('Use a time such as 2030-01-31, 2030-01-31T12:00 or 2030-01-31T12:00:00Z.');
}

/** Returns the option that all lists share. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'list only the newest entries, up to this many').argParser(
    wholeNumberParser(1, 1_000_000_000),
  );
}

/**
 * Returns an option that has one of the given values and can be repeated. Help and shell completion list the values.
 */
export function choicesOption<Value extends string>(flags: string, about: string, values: readonly Value[]): Option {
  const option = new Option(flags, about).argParser<Value[] | undefined>((value, before) => {
    const found = values.find((one) => one === value);
    if (found === undefined) throw new InvalidArgumentError(`Use one of ${values.join(', ')}.`);
    return [...(before ?? []), found];
  });
  // Unlike `choices`, which would also replace the parser.
  option.argChoices = [...values];
  return option;
}
