import type { JSX } from 'preact';
import { namePerson, type Person } from '../../components/person.tsx';
import { ReceiptLinks } from '../../components/receipt-links.tsx';
import { useTranslator } from '../../components/translator-context.ts';

/** A receipt of something that is too old for the list. */
export interface KeptReceipt extends Person {
  readonly dropId: string;
  readonly position: number;
}

/** The receipts of what is searched for by its reference and is in the list no more. `path` is that of the list. */
export function KeptReceipts({ path, receipts }: { path: string; receipts: readonly KeptReceipt[] }): JSX.Element {
  const translator = useTranslator();
  return (
    <section class="stack">
      <h2>{translator.t('list.keptReceipts')}</h2>
      <p>{translator.t('list.keptReceiptsText')}</p>
      <ul class="stack">
        {receipts.map(({ dropId, position, ...person }) => (
          <li key={`${dropId} ${position}`}>
            <bdi>{namePerson(person)}</bdi>
            <ReceiptLinks path={`${path}/${dropId}/receivers/${position}/receipt`} of={namePerson(person)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
