import type { Command } from 'commander';
import { countNaming, eraseEvidence } from '../domain/evidence/erase-evidence.ts';
import { type AddCommand, addExamples, print } from './command.ts';

export const evidenceCommands: AddCommand = (parent, withEngines) => {
  const evidence = parent.command('evidence').description('erase the evidence about a person');
  addExamples(evidence, 'waybilld admin evidence erase --address kim@example.net');

  const erase = evidence
    .command('erase')
    .description('erase all evidence that names an address, and of what was sent to it; this cannot be undone')
    .requiredOption('--address <address>', 'a mail address, or the phone number that codes were sent to')
    .option('--yes', 'do not ask; otherwise it only says how much names the address')
    .option('--json', 'print JSON')
    .action((options: { address: string; yes?: boolean; json?: boolean }, self: Command) =>
      withEngines(async (engines) => {
        const address = options.address.trim();
        if (!options.yes) {
          const naming = await countNaming(engines, address);
          print(options.json, { address, entries: naming }, [
            `${naming} entries name ${address}. Receipts about them can no longer be made once they are erased.`,
          ]);
          self.error('nothing was erased: use --yes to erase the evidence');
        }
        const { erased, remaining } = await eraseEvidence(engines, address);
        print(options.json, { address, erased, remaining }, [
          `${erased} entries are erased. Their leaves stay in the log, and say nothing about anyone.`,
          ...(remaining > 0
            ? [
                `${remaining} entries remain: they are under a legal hold (waybilld admin holds list), or were written a moment ago. Run the command again.`,
              ]
            : []),
        ]);
      }),
    );
  addExamples(
    erase,
    'waybilld admin evidence erase --address kim@example.net',
    'waybilld admin evidence erase --address kim@example.net --yes --json',
  );
};
