import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { IconButton } from '../../shared/components/button.tsx';
import { type Picked, readPickedFiles } from '../../shared/islands/dropped-files.ts';
import { type Entry, isStopped } from '../../shared/islands/upload-entry.ts';
import { type NumberedFile, WantedList } from '../wanted-files.tsx';

/** Which of the wanted files a file is, by its path. */
export type Places = Readonly<Record<string, number>>;

export const toPath = ({ path, name }: Pick<Entry, 'path' | 'name'>) => path ?? name;

/** Lets the contact say which file is which: by choosing it here, or from those that were chosen already. */
export function WantedPicker(props: {
  wanted: readonly NumberedFile[];
  entries: readonly Entry[];
  places: Places;
  onChange: (places: Places) => void;
  onAdd: (picked: readonly Picked[]) => void;
}): JSX.Element {
  const translator = useTranslator();
  const { wanted, places, onChange, onAdd } = props;
  const paths = props.entries.filter((entry) => !isStopped(entry)).map(toPath);
  const isThere = new Set(paths);
  const rest = paths.filter((path) => places[path] === undefined);
  const assign = (path: string, number: number | undefined) => {
    const others = Object.entries(places).filter(([other]) => other !== path);
    onChange(Object.fromEntries(number === undefined ? others : [...others, [path, number]]));
  };
  const choose = (input: HTMLInputElement, number: number) => {
    const picked = readPickedFiles(input.files);
    input.value = '';
    onChange({ ...places, ...Object.fromEntries(picked.map(({ path }) => [path, number])) });
    onAdd(picked);
  };
  return (
    <WantedList
      wanted={wanted}
      chosen={new Set(Object.entries(places).flatMap(([path, number]) => (isThere.has(path) ? [number] : [])))}
      control={({ number, name }) => (
        <>
          {Object.entries(places)
            .filter(([path, place]) => place === number && isThere.has(path))
            .map(([path]) => (
              <span key={path} class="chip">
                <bdi class="chip-name">{oneLine(path)}</bdi>
                <IconButton
                  icon="close"
                  label={translator.t('upload.wanted.notThis', { file: oneLine(path), name: oneLine(name) })}
                  onClick={() => assign(path, undefined)}
                />
              </span>
            ))}
          {rest.length > 0 ? (
            <select
              id={`wanted-${number}`}
              value=""
              onChange={(event) => {
                assign(event.currentTarget.value, number);
                event.currentTarget.value = '';
              }}
            >
              <option value="">{translator.t('upload.wanted.which')}</option>
              {rest.map((path) => (
                <option key={path} value={path}>
                  {oneLine(path)}
                </option>
              ))}
            </select>
          ) : (
            <input
              id={`wanted-${number}`}
              type="file"
              multiple
              onChange={(event) => choose(event.currentTarget, number)}
            />
          )}
        </>
      )}
    />
  );
}
