import type { JSX } from 'preact';
import { Icon } from './icon.tsx';
import { type ScanState, scanTexts } from './scan-texts.ts';
import { useTranslator } from './translator-context.ts';

/** A line in a FileRow that says whether the file was scanned. */
export function ScanNote({ scan }: { scan: ScanState }): JSX.Element {
  const translator = useTranslator();
  return (
    <span class={`scan scan-${scan}`}>
      <Icon name={scan === 'clean' ? 'shield' : 'alert'} small />
      {translator.t(scanTexts[scan])}
    </span>
  );
}
