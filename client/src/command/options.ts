import { type Command, InvalidArgumentError } from 'commander';

/** Shown at the end of the command's help. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

/** For an option that can be repeated. */
export function several(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Use a whole number from ${min} to ${max}.`);
  };
}
