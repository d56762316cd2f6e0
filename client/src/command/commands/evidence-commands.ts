import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { addExamples, requireOption } from '../options.ts';
import { initWitness, runWitness, type WitnessCommandOptions, type WitnessInitOptions } from '../witness/witness.ts';
import { type VerifyCommandOptions, verify } from './verify.ts';

/** Adds the commands for receipts and for the log that proves them. */
export function addEvidenceCommands(program: Command, context: () => Context): void {
  addExamples(
    program
      .command('verify')
      .description('verify receipts, without a connection')
      .argument('[file...]', 'the receipts, as PDF or JSON')
      .addOption(new Option('--key <vkey>', 'the key of the log, if no witness is required').conflicts('policy'))
      .option('--policy <file>', 'the logs and witnesses that you trust')
      .option('--timestamp-ca <file>', 'the certificates (PEM) of the time-stamping authorities that you trust')
      .addOption(
        new Option(
          '--pin <url>',
          'fetch the policy of a server once, and use it from now on if none is given',
        ).conflicts(['key', 'policy']),
      )
      .option('--plain-http', 'let --pin use http:// to another machine')
      .option('--yes', 'do not ask for confirmation of --pin')
      .action((files: string[], options: VerifyCommandOptions) => verify(context(), files, options)),
    'waybill verify receipt.json --policy policy.txt',
    'waybill verify receipt.json --key files.example.org/log/1+cf1b410e+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea',
    'waybill verify receipt.json --policy policy.txt --timestamp-ca authority.pem',
    'waybill verify --pin https://files.example.org',
  );

  const witness = addExamples(
    program.command('witness').description('cosign the checkpoints of a log, so that it cannot show two views'),
    'waybill witness init --name witness.example.com/w1 --key-file witness-key.json --state witness-state.json',
    'waybill witness --key-file witness-key.json --state witness-state.json --policy policy.txt',
  );
  addExamples(
    requireOption(
      requireOption(
        witness
          .command('run', { isDefault: true })
          .description('serve requests of logs; the default')
          .option('--key-file <file>', 'the key of this witness, from `waybill witness init`')
          .option('--state <file>', 'its memory, from `waybill witness init`: the newest checkpoint of each log')
          .option('--listen <address>', 'host and port on which to listen', '127.0.0.1:8095')
          .addOption(new Option('--log <vkey>', 'the key of the log').conflicts('policy'))
          .option('--policy <file>', 'a policy whose logs to cosign')
          .action((options: WitnessCommandOptions) => runWitness(context(), options)),
        'keyFile',
      ),
      'state',
    ),
    'waybill witness run --key-file witness-key.json --state witness-state.json --policy policy.txt',
  );
  const init = witness
    .command('init')
    .description('create the key and the empty state of a witness, and print the key as others pin it')
    .option('--name <name>', 'its name, a URL without https:// such as witness.example.com/w1')
    .option('--key-file <file>', 'where to store the key')
    .option('--state <file>', 'where it will keep the newest checkpoint of each log')
    .option('--post-quantum', 'also create a key of ML-DSA-44')
    .action((options: WitnessInitOptions) => initWitness(context(), options));
  addExamples(
    requireOption(requireOption(requireOption(init, 'name'), 'keyFile'), 'state'),
    'waybill witness init --name witness.example.com/w1 --key-file witness-key.json --state witness-state.json',
  );
}
