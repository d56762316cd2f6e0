import { openClient } from './account.ts';
import type { Answers, Terminal } from './terminal.ts';

export interface FilesCommand {
  draft?: string;
  remove?: string;
}

/** What is staged in a draft and not yet dispatched. Sends of this command use drafts of their own. */
export async function filesCommand(
  terminal: Terminal,
  answers: Answers,
  signal: AbortSignal,
  { draft: name, remove }: FilesCommand,
): Promise<void> {
  const { client } = await openClient(terminal);
  const draft = client.draft(name);
  if (remove !== undefined) {
    await draft.removeFile(remove, { signal });
    await answers.say(`Removed ${remove}.`, { status: 'removed', name: remove });
  } else {
    const files = await draft.files({ signal });
    for (const file of files) await answers.say(`${file.size.padStart(10)}  ${file.name}`, file);
    if (files.length === 0) answers.notice('No file is staged.');
  }
  client.close();
}
