import type { ComponentChildren, JSX } from 'preact';
import type { FoundFile } from '../../domain/requests/find-wanted.ts';
import { oneLine } from '../../present/texts/plain.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { Icon } from '../shared/components/icon.tsx';

/** A wanted file with its place in the list of the request, by which it is known. */
export interface NumberedFile extends FoundFile {
  readonly number: number;
}

/** The missing ones come first, because they are what is left to do. */
export function numberWanted(wanted: readonly FoundFile[]): NumberedFile[] {
  const all = wanted.map((file, number) => ({ ...file, number }));
  return [...all.filter(({ found }) => !found), ...all.filter(({ found }) => found)];
}

/** The files that a contact is asked for, each with a way to say which file it is. */
export function WantedList(props: {
  wanted: readonly NumberedFile[];
  control: (file: NumberedFile) => ComponentChildren;
  /** Which of them have a file that is not sent yet. */
  chosen?: ReadonlySet<number>;
}): JSX.Element {
  const translator = useTranslator();
  const { wanted, chosen } = props;
  return (
    <section class="wanted" aria-labelledby="wanted-title">
      <h2 id="wanted-title">{translator.t('upload.wanted.title', { count: wanted.length })}</h2>
      <ul>
        {wanted.map((file) => (
          <li key={file.number} class={file.found || chosen?.has(file.number) ? 'wanted-found' : undefined}>
            {file.found || chosen?.has(file.number) ? <Icon name="check" small /> : <span class="wanted-mark" />}
            <div class="wanted-about">
              <label for={`wanted-${file.number}`} dir="auto">
                {oneLine(file.name)}
              </label>
              {file.note !== '' && (
                <p class="quiet small" dir="auto">
                  {oneLine(file.note)}
                </p>
              )}
              {file.found && <p class="small">{translator.t('upload.wanted.found')}</p>}
              {props.control(file)}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** For a form without its script: a field for each of them. */
export function PlainWanted({ wanted }: { wanted: readonly FoundFile[] }): JSX.Element {
  return (
    <WantedList
      wanted={numberWanted(wanted)}
      control={({ number }) => <input id={`wanted-${number}`} name={`wanted:${number}`} type="file" multiple />}
    />
  );
}
