import type { JSX } from 'preact';
import { Icon } from './icon.tsx';
import { type ScanState, scanTexts } from './scan-words.ts';
import { useWords } from './words-context.ts';

/** On a line of its own in a FileRow: whether the file was scanned. */
export function ScanNote({ scan }: { scan: ScanState }): JSX.Element {
  const words = useWords();
  return (
    <span class={`scan scan-${scan}`}>
      <Icon name={scan === 'clean' ? 'shield' : 'alert'} small />
      {words.t(scanTexts[scan])}
    </span>
  );
}
