import { isWaybillError } from '../errors.ts';
import { openClient } from './account.ts';
import { CommandError, exits } from './exits.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface FilesCommand {
  draft?: string;
  remove?: string;
}

/** Lists what is uploaded to a draft and not yet sent. `waybill send` uses a draft of its own for each send. */
export async function filesCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  { draft: name, remove }: FilesCommand,
): Promise<void> {
  const { client } = await openClient(terminal);
  const draft = client.draft(name);
  if (remove !== undefined) {
    await draft.removeFile(remove, { signal }).catch((error: unknown) => {
      if (!isWaybillError(error, 'not_found')) throw error;
      const message = `No uploaded file is called ${remove}.`;
      throw new CommandError(exits.refused, 'not_found', message, 'To see those that there are: waybill files');
    });
    await answers.say(`Removed ${remove}.`, { status: 'removed', name: remove });
  } else {
    const files = await draft.files({ signal });
    for (const file of files) await answers.say(`${file.size.padStart(10)}  ${file.name}`, file);
    if (files.length === 0) answers.notice('No file is waiting to be sent.');
  }
  client.close();
}
