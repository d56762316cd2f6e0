import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from './icon.tsx';

/** The receipt of a receiver, to read and to verify. `path` is where it is, without the ending of the file. */
export function ReceiptLinks({ path, of }: { path: string; of?: string | undefined }): JSX.Element {
  const translator = useTranslator();
  const whose = of === undefined ? null : <span class="unseen"> {of}</span>;
  return (
    <p class="receipt-links small">
      <Icon name="receipt" small />
      <a href={`${path}.pdf`} download>
        {translator.t('receipt.pdf')}
        {whose}
      </a>
      <a href={`${path}.json`} download>
        {translator.t('receipt.json')}
        {whose}
      </a>
    </p>
  );
}
