import { type Command, InvalidArgumentError, Option } from 'commander';

/** Shown at the end of the command's help. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

/** For an option that can be repeated. */
export function collectValues(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function wholeNumberParser(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };
}

/** A time in local time, or with a zone of its own. */
export function parseTime(text: string): Date {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/.test(text);
  // A date alone would be midnight in UTC.
  const date = new Date(/^.{10}$/.test(text) ? `${text}T00:00` : text);
  if (isTime && !Number.isNaN(date.getTime())) return date;
  throw new InvalidArgumentError('Use a time such as 2030-01-31, 2030-01-31T12:00 or 2030-01-31T12:00:00Z.');
}

/** Shared by all lists. */
export function limitOption(): Option {
  return new Option('--limit <number>', 'list only the newest entries, up to this many').argParser(
    wholeNumberParser(1, 1_000_000_000),
  );
}

/** An option that has one of some values and can be repeated. The help and the completion of shells name them. */
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
