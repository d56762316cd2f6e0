import { secondsToMidnight } from '../accounts/count-dispatch.ts';
import type { Actor } from '../actor.ts';
import {
  type CheckedDispatch,
  checkDispatch,
  type DispatchInput,
  type MadeDispatch,
  prepareDispatch,
} from '../drops/check-dispatch.ts';
import { writeDrop } from '../drops/write-drop.ts';
import type { Engines } from '../engines.ts';
import { Faults } from '../exchange-error.ts';
import { checkWanted, type WantedFile } from '../files/wanted-files.ts';

type Needs = Pick<
  Engines,
  'store' | 'dayKeys' | 'random' | 'checkpoint' | 'policy' | 'messageLimit' | 'sms' | 'passphrases'
>;

export interface FileRequestInput extends DispatchInput {
  /** Whether a contact may send files any number of times. */
  readonly reusable: boolean;
  readonly wanted?: readonly WantedFile[] | undefined;
}

interface CheckedRequest extends CheckedDispatch {
  readonly wanted: readonly WantedFile[];
}

/** Looks at everything before it refuses anything: the error names each fault. Changes nothing. */
export async function checkRequest(engines: Needs, actor: Actor, input: FileRequestInput): Promise<CheckedRequest> {
  const faults = new Faults();
  const checked = await checkDispatch(faults, engines, actor, input);
  const wanted = checkWanted(faults, input.wanted ?? []);
  faults.throwIfAny(secondsToMidnight());
  return { ...checked, wanted };
}

/**
 * Checks the request and fetches a key, which may be slow. What is returned makes the request, in one transaction or as
 * part of the caller's.
 */
export async function prepareRequest(
  engines: Needs,
  actor: Actor,
  input: FileRequestInput,
): Promise<(within: Pick<Engines, 'store'>) => Promise<MadeDispatch>> {
  const checked = await checkRequest(engines, actor, input);
  const { toWrite, made } = await prepareDispatch(engines, input, checked);
  const { wanted } = checked;
  const choices = { ...toWrite.choices, reusable: input.reusable, wanted };
  return async ({ store }) => {
    const request = { ...toWrite, choices, type: 'uploadfiles', fileCount: 0 } as const;
    await store.transaction((tx) => writeDrop(engines, tx, actor, checked.policy, request));
    return made;
  };
}
