import type { ComponentChildren } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Breakable } from './breakable.tsx';

export interface Sender {
  /** The name that people know the account by, or its address if it has none. */
  readonly name: string;
  /** The account's address. */
  readonly address: string;
}

/** The sender's address, because anyone can choose a name. Empty if the address is the name, which the heading has. */
export function fromField(
  translator: ViewTranslator,
  { name, address }: Sender,
): readonly (readonly [label: string, value: ComponentChildren])[] {
  return name === address ? [] : [[translator.t('common.from'), <Breakable>{oneLine(address)}</Breakable>]];
}
