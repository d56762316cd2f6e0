import { numberedName } from '@waybill/protocol';

/** The name, with a number added if it is taken: files of the same name can be sent from several folders. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(numberedName(name, number))) number += 1;
  return numberedName(name, number);
}
