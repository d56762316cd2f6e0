import type { JSX } from 'preact';
import {
  commonTexts,
  findScanText,
  type Scanned,
  type ScanState,
  summarizeScans,
} from '../../../present/texts/scan-texts.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from './icon.tsx';

/** A line in a FileRow that says whether the file was scanned. */
export function ScanNote(file: Scanned): JSX.Element {
  return <Note scan={file.scan}>{useTranslator().t(findScanText(file))}</Note>;
}

function Note({ scan, children }: { scan: ScanState; children: string }): JSX.Element {
  return (
    <span class={`scan scan-${scan}`}>
      <Icon name={scan === 'clean' ? 'shield' : 'alert'} small />
      {children}
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
  if (!first) {
    const [only, second] = props.files;
    if (only && !second) return <ScanNote {...only} />;
    return <Note scan={common}>{translator.t(commonTexts[common], { count: props.files.length })}</Note>;
  }
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
