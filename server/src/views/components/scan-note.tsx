import type { JSX } from 'preact';
import { Icon } from './icon.tsx';
import { type Scanned, scanTexts, summarizeScans } from './scan-texts.ts';
import { useTranslator } from './translator-context.ts';

/** A line in a FileRow that says whether the file was scanned. */
export function ScanNote({ scan }: Scanned): JSX.Element {
  const translator = useTranslator();
  return (
    <span class={`scan scan-${scan}`}>
      <Icon name={scan === 'clean' ? 'shield' : 'alert'} small />
      {translator.t(scanTexts[scan])}
    </span>
  );
}

/** The scan results of all files, at the head of their list; `hrefOf` leads to a file that differs. */
export function ScanSummary<F extends Scanned>(props: {
  files: readonly F[];
  hrefOf?: (file: F) => string;
}): JSX.Element {
  const translator = useTranslator();
  const { common, different } = summarizeScans(props.files);
  const [first] = different;
  if (!first) return <ScanNote scan={common} />;
  const rest = translator.t('scan.unscannedCount', { count: different.length });
  return (
    <span class="scan scan-clean">
      <Icon name="shield" small />
      <span>
        {translator.t('scan.cleanCount', { count: props.files.length - different.length })}{' '}
        {props.hrefOf ? <a href={props.hrefOf(first)}>{rest}</a> : rest}
      </span>
    </span>
  );
}
