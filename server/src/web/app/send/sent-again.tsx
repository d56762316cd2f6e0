import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { FileName } from '../../shared/components/file-name.tsx';
import { describeFile, FileIcon } from '../../shared/components/file-row.tsx';
import { Rows } from '../../shared/components/rows.tsx';
import type { KeptUpload } from './send-page.tsx';

/** Files of a delivery that is sent again; those that stay checked are in the new one. */
export interface AgainProps {
  readonly reference: string;
  readonly files: readonly KeptUpload[];
}

export function SentAgain({ reference, files }: AgainProps): JSX.Element | null {
  const translator = useTranslator();
  if (files.length === 0) return null;
  return (
    <fieldset class="sent-again">
      <legend>{translator.t('composer.again')}</legend>
      <input type="hidden" name="again" value={reference} />
      <ul class="kept">
        <Rows
          items={files}
          row={({ id, path, sizeBytes }) => (
            <li key={id}>
              <label>
                <input
                  type="checkbox"
                  name="sent_file"
                  value={id}
                  checked
                  data-path={oneLine(path)}
                  data-size={sizeBytes}
                />
                <FileIcon name={path} />
                <span class="kept-about">
                  <FileName path={path} />
                  <span class="quiet small">{describeFile(path, translator.formatSize(sizeBytes))}</span>
                </span>
              </label>
            </li>
          )}
        />
      </ul>
      <p class="quiet small">{translator.t('composer.againFrom', { reference })}</p>
    </fieldset>
  );
}
