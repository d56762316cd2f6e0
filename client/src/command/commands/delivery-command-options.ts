import { type Command, InvalidArgumentError, Option } from 'commander';
import { requireOption, validateWith, wholeNumberParser } from '../options.ts';
import { isLanguage, languageRule } from './contacts-file.ts';

/** Adds the options that sends and requests have in common. */
export function addDeliveryOptions(command: Command, needsReceivers = true): Command {
  return addLinkOptions(needsReceivers ? requireOption(command, 'to') : command)
    .option(
      '--passphrase-file <file>',
      'read a passphrase from a file, which receivers have to enter besides their link',
    )
    .option('--dry-run', 'check everything, and send nothing');
}

/** Adds the options of the receivers' links, which a watched folder has, too. */
export function addLinkOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--second-factor <factor>', 'how receivers get a code, which they need besides their link').choices([
        'off',
        'mail',
        'sms',
      ]),
    )
    .option(
      '--language <tag>',
      `the language of the mails and pages: ${languageRule} (default: the contact’s)`,
      validateWith(isLanguage, languageRule),
    )
    .option('--title <text>', 'one line by which it is known: the subject of the mails, and in lists')
    .option('--external-id <text>', 'your own identifier, by which other commands find it');
}

/** Adds the options of a link to share. */
export function addSharedLinkOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--link [kind]',
        'send no mails, and print one link: for all receivers (named), or for anybody who has it (anybody)',
      ).choices(['named', 'anybody']),
    )
    .option(
      '--max-downloads <number>',
      'after how many downloads a link for anybody ends',
      wholeNumberParser(1, 1_000_000),
    )
    .addOption(
      new Option(
        '--link-days <number>',
        'for how many days the link can be used (default: as long as the files)',
      ).argParser(parseDays),
    );
}

export function daysOption(what: string): Option {
  return new Option('--days <number>', `for how many days ${what} (default: the server’s setting)`).argParser(
    parseDays,
  );
}

/** Parses a number of days. What the account may choose is decided by the server. */
function parseDays(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number of days, such as 7.');
}

/** Parses a key, which is sent in a header. */
export function parseKey(value: string): string {
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(value)) {
    throw new InvalidArgumentError('Use up to 255 printable ASCII characters.');
  }
  return value;
}
