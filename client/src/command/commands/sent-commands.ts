import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { addExamples, collectValues, limitOption, parseTime, validateWith, wholeNumberParser } from '../options.ts';
import { isLanguage, isPhone, languageRule, phoneRule } from './contacts-file.ts';
import { type HistoryCommandOptions, listHistory } from './history.ts';
import { type ReceiptCommandOptions, storeReceipt } from './receipt.ts';
import { type AddReceiversCommandOptions, addReceivers, type ResendCommandOptions, resendMails } from './receivers.ts';
import {
  type ExtendCommandOptions,
  extendSent,
  type RevokeCommandOptions,
  remindReceivers,
  revokeSent,
} from './sent.ts';
import { showSent } from './show.ts';

const sentDescription = 'its reference, such as WB-7F3K-29QD, or its id, or an external id that only one has';

/** Adds the commands for drops and requests. */
export function addSentCommands(program: Command, context: () => Context): void {
  addExamples(
    program
      .command('history')
      .description('list what this account has sent')
      .addOption(new Option('--state <state>', 'only those in this state').choices(['live', 'expired', 'revoked']))
      .addOption(new Option('--receiver <address>', 'only those for this receiver').conflicts(['externalId', 'search']))
      .addOption(new Option('--external-id <text>', 'only those with this external id').conflicts('search'))
      .option('--search <text>', 'only those with this reference, external id or receiver')
      .addOption(
        new Option(
          '--contains <text>',
          'only those with this text in a message, address, name or file name; none of the three above can be added',
        ).conflicts(['receiver', 'externalId', 'search']),
      )
      .option('--requests', 'list requests for files instead')
      .addOption(limitOption())
      .action((options: HistoryCommandOptions) => listHistory(context(), options)),
    'waybill history --limit 20',
    'waybill history --state live --receiver anna@example.com',
    'waybill history --requests --state live',
  );
  addExamples(
    program
      .command('show')
      .description('show a drop or a request: its receivers, files and history')
      .argument('<drop>', sentDescription)
      .action((identifier: string) => showSent(context(), identifier)),
    'waybill show WB-7F3K-29QD',
    'waybill --json show order-4711',
  );
  addExamples(
    program
      .command('receipt')
      .description('store the receipt of a receiver: what happened, with proofs that anyone can verify')
      .argument('<drop>', sentDescription)
      .option('--receiver <address>', 'the receiver, if there are several')
      .addOption(
        new Option('--format <format>', 'a document for people with the proofs attached, or the proofs alone')
          .choices(['pdf', 'json'])
          .default('pdf'),
      )
      .option(
        '--language <tag>',
        `the language of the document: ${languageRule} (default: the server’s)`,
        validateWith(isLanguage, languageRule),
      )
      .option('--output <file>', 'where to store it (default: a name with the reference)')
      .option('--overwrite', 'replace the file if it exists')
      .action((identifier: string, options: ReceiptCommandOptions) => storeReceipt(context(), identifier, options)),
    'waybill receipt WB-7F3K-29QD --receiver anna@example.com --output receipt.pdf',
    'waybill receipt WB-7F3K-29QD --receiver anna@example.com --format json --output receipt.json --overwrite',
  );
  addExamples(
    program
      .command('revoke')
      .description('revoke a drop or a request, or the link of one receiver; the files of a revoked drop are deleted')
      .argument('<drop>', sentDescription)
      .option('--receiver <address>', 'revoke only the link of this receiver')
      .option('--yes', 'do not ask for confirmation')
      .action((identifier: string, options: RevokeCommandOptions) => revokeSent(context(), identifier, options)),
    'waybill revoke WB-7F3K-29QD',
    'waybill revoke WB-7F3K-29QD --receiver anna@example.com --yes',
  );
  addExamples(
    program
      .command('extend')
      .description('change the deadline of a drop or a request')
      .argument('<drop>', sentDescription)
      .addOption(
        new Option('--days <number>', 'it expires this many days from now')
          .argParser(wholeNumberParser(1, 40_000))
          .conflicts('until'),
      )
      .option('--until <time>', 'it expires at this time, such as 2030-01-31T12:00', parseTime)
      .action((identifier: string, options: ExtendCommandOptions) => extendSent(context(), identifier, options)),
    'waybill extend WB-7F3K-29QD --days 14',
    'waybill extend WB-7F3K-29QD --until 2100-01-31T12:00',
  );
  addExamples(
    program
      .command('remind')
      .description('remind the receivers who have not downloaded every file, or have sent nothing yet')
      .argument('<drop>', sentDescription)
      .action((identifier: string) => remindReceivers(context(), identifier)),
    'waybill remind WB-7F3K-29QD',
  );
  addExamples(
    program
      .command('resend')
      .description('send a receiver the mail with their link again, even if it could not be delivered before')
      .argument('<drop>', sentDescription)
      .option('--receiver <address>', 'the receiver, if there are several; can be repeated', collectValues)
      .action((identifier: string, options: ResendCommandOptions) => resendMails(context(), identifier, options)),
    'waybill resend WB-7F3K-29QD --receiver anna@example.com',
  );
  addExamples(
    program
      .command('add-receiver')
      .description('send a drop or a request to further receivers')
      .argument('<drop>', sentDescription)
      .argument('<address...>', 'their e-mail addresses')
      .option('--name <name>', 'their name')
      .option('--phone <digits>', `their mobile number: ${phoneRule}`, validateWith(isPhone, phoneRule))
      .option(
        '--language <tag>',
        `the language of the mails and pages: ${languageRule} (default: the contact’s)`,
        validateWith(isLanguage, languageRule),
      )
      .action((identifier: string, addresses: string[], options: AddReceiversCommandOptions) =>
        addReceivers(context(), identifier, addresses, options),
      ),
    'waybill add-receiver WB-7F3K-29QD cy@example.com',
    'waybill add-receiver WB-7F3K-29QD cy@example.com --name Cy --language sv',
  );
}
