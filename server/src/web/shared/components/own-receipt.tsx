import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { ReceiptLinks } from './receipt-links.tsx';

/** The receipt of the person who looks at the page, folded at first. `path` is where it is, without the ending of the file. */
export function OwnReceipt({ path, text }: { path: string; text: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <details class="verify small">
      <summary>{translator.t('receipt.yours')}</summary>
      <p class="quiet">{text}</p>
      <ReceiptLinks path={path} />
    </details>
  );
}
