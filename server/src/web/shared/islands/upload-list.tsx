import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Folder, toFolderTree } from '../../../present/texts/folder-tree.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button, IconButton } from '../components/button.tsx';
import { FolderAbout } from '../components/folder-list.tsx';
import { Icon } from '../components/icon.tsx';
import { ListOrder } from './list-order.ts';
import type { Entry } from './upload-entry.ts';

const rowsAtFirst = 20;
const rowsMore = 100;

/** Files that cannot be sent come first. */
export function UploadList(props: {
  entries: readonly Entry[];
  row: (entry: Entry) => JSX.Element;
  onRemoveInterrupted: () => void;
  /** Removes everything that was chosen in a folder, by its path, which ends with a slash. */
  onRemoveFolder: (folder: string) => void;
}): JSX.Element {
  const translator = useTranslator();
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const [order] = useState(() => new ListOrder(translator.locale));
  useEffect(() => keepUnderReader(list.current, order), [order]);
  const { row } = props;
  const { stopped, folded: ready, listed: others } = order.arrange(props.entries);
  const interrupted = props.entries.filter(({ state }) => state === 'interrupted').length;
  return (
    <div ref={list} class="upload-list">
      {stopped.length > 0 && (
        <section class="stopped" aria-labelledby="stopped">
          <h2 id="stopped">
            <Icon name="alert" />
            {translator.t('island.cannot', { count: stopped.length })}
          </h2>
          <Rows entries={stopped} row={row} />
        </section>
      )}
      {interrupted > 1 && (
        <div class="list-note">
          <p class="small">{translator.t('island.waitInterrupted', { count: interrupted })}</p>
          <Button type="button" onClick={props.onRemoveInterrupted}>
            {translator.t('island.removeInterrupted')}
          </Button>
        </div>
      )}
      {ready.length > 0 && (
        <details class="folded" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <Icon name="check" />
            {translator.t('island.readyCount', { count: ready.length })}
          </summary>
          {open && <ReadyFiles entries={ready} row={row} onRemoveFolder={props.onRemoveFolder} />}
        </details>
      )}
      {others.length > 0 && <Rows entries={others} row={row} />}
    </div>
  );
}

type ReadyProps = Pick<Parameters<typeof UploadList>[0], 'row' | 'onRemoveFolder'>;

/** Files that are ready stay where they are, so they are listed in their folders. */
function ReadyFiles({ entries, ...props }: ReadyProps & { entries: readonly Entry[] }): JSX.Element {
  const { locale } = useTranslator();
  const files = entries.map((entry) => ({ entry, path: entry.path ?? entry.name, sizeBytes: entry.sizeBytes }));
  return (
    <div class="folders">
      <ReadyFolder {...props} folder={toFolderTree(files, locale)} />
    </div>
  );
}

/** Draws the content of a folder when somebody opens it. */
function ReadyFolder(
  props: ReadyProps & { folder: Folder<{ entry: Entry; path: string; sizeBytes: number }> },
): JSX.Element {
  const translator = useTranslator();
  const { folder, row, onRemoveFolder } = props;
  const [opened, setOpened] = useState<readonly string[]>([]);
  return (
    <>
      {folder.files.length > 0 && (
        <Rows
          entries={folder.files.map(({ entry }) => entry)}
          // The folder is said once, above.
          row={(entry) => row({ ...entry, path: undefined })}
        />
      )}
      {folder.folders.map((inner) => (
        <div class="folder-line" key={inner.path}>
          <div class="folder-actions">
            <IconButton
              icon="close"
              label={translator.t('island.removeFolder', { name: inner.path.slice(0, -1) })}
              onClick={() => onRemoveFolder(inner.path)}
            />
          </div>
          <details
            class="folder"
            onToggle={(event) => {
              if (event.currentTarget.open) setOpened([...opened, inner.path]);
            }}
          >
            <summary>
              <FolderAbout folder={inner} />
            </summary>
            {opened.includes(inner.path) && <ReadyFolder {...props} folder={inner} />}
          </details>
        </div>
      ))}
    </>
  );
}

/** Shows only the first of many rows: hundreds would be slow to draw and long to scroll past. */
function Rows({ entries, row }: { entries: readonly Entry[]; row: (entry: Entry) => JSX.Element }): JSX.Element {
  const translator = useTranslator();
  const [shown, setShown] = useState(rowsAtFirst);
  const more = Math.min(rowsMore, entries.length - shown);
  return (
    <div>
      <ul class="files">{entries.slice(0, shown).map(row)}</ul>
      {more > 0 && (
        <Button look="plain" type="button" onClick={() => setShown(shown + rowsMore)}>
          {translator.t('island.showMore', { count: more })}
        </Button>
      )}
    </div>
  );
}

/** Keeps every row where it is as soon as the person scrolls while the list can be seen, or touches it. */
function keepUnderReader(list: HTMLElement | null, order: ListOrder): () => void {
  const freeze = () => order.freeze();
  const scrolled = () => {
    if (list && list.getBoundingClientRect().top < innerHeight) freeze();
  };
  const pressed = ({ key }: KeyboardEvent) => {
    if (scrollKeys.has(key)) scrolled();
  };
  list?.addEventListener('pointerdown', freeze);
  list?.addEventListener('focusin', freeze);
  document.addEventListener('wheel', scrolled, { passive: true });
  document.addEventListener('touchmove', scrolled, { passive: true });
  document.addEventListener('keydown', pressed);
  return () => {
    document.removeEventListener('wheel', scrolled);
    document.removeEventListener('touchmove', scrolled);
    document.removeEventListener('keydown', pressed);
  };
}

const scrollKeys: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End']);
