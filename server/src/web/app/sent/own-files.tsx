import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';

/** Where the sender downloads the files of a delivery; undefined once it has ended. */
export type OwnFilesPath = string | undefined;

/** Downloads everything that was sent, as a ZIP, or the only file. */
export function DownloadOwn({ path, ids }: { path: OwnFilesPath; ids: readonly string[] }): JSX.Element | null {
  const translator = useTranslator();
  const [only] = ids;
  if (path === undefined || only === undefined) return null;
  const isOne = ids.length === 1;
  return (
    <ButtonLink look="plain" icon="download" href={isOne ? `${path}/files/${only}` : `${path}/all.zip`} download>
      {translator.t(isOne ? 'download.one' : 'download.all')}
    </ButtonLink>
  );
}
