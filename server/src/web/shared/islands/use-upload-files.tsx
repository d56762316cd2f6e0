import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import { sortByPath } from '../../../present/texts/file-order.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../components/banner.tsx';
import { type Picked, readDroppedFiles, readHandledFiles, readPastedFiles, readPickedFiles } from './dropped-files.ts';
import { chooseHandles } from './file-handles.ts';
import { obstacleText, type SizeLimit } from './obstacle-text.ts';
import { sendHint } from './send-bar.tsx';
import type { SendIntent } from './send-intent.ts';
import { type Entry, isStopped } from './upload-entry.ts';
import type { News } from './upload-item.ts';
import type { UploadQueue } from './upload-queue.ts';
import { StoppedRow, UploadRow } from './upload-row.tsx';

export interface FileLimits extends SizeLimit {
  readonly maxFiles: number;
}

export interface UploadFilesProps {
  readonly queue: UploadQueue;
  readonly intent: SendIntent;
  readonly limits: FileLimits;
  /** Whether handles are of use, because the next visit can read them. */
  readonly keepsHandles?: boolean;
  /** Reads text out to users of screen readers. */
  readonly say: (text: string) => void;
  /** Called at every change, even while the page cannot be seen. */
  readonly onChange?: () => void;
  readonly problems: readonly string[];
}

/** The list of files on a page, and the ways to add to it. */
export interface UploadFiles {
  readonly problems: readonly string[];
  setProblems(problems: readonly string[]): void;
  /** Whether files are being dragged over the page. */
  readonly isOver: boolean;
  readonly heading: RefObject<HTMLHeadingElement | null>;
  /** Elements that are not seen. */
  readonly inputs: JSX.Element;
  /** The banners about the list as a whole. */
  readonly banners: JSX.Element;
  add(picked: readonly Picked[]): Promise<void>;
  choose(what: 'files' | 'folder'): void;
  chooseAgain(wanted: readonly Entry[]): void;
  row(entry: Entry): JSX.Element;
  /** Removes what was chosen in a folder, by its path, which ends with a slash. */
  removeFolder(folder: string): void;
}

/** Known to every browser, but missing from the types. */
const wholeFolder = { webkitdirectory: true };

/** The part of an upload page that does not depend on who sends the files, and to whom. */
export function useUploadFiles(props: UploadFilesProps): UploadFiles {
  const { queue, intent, limits, say, keepsHandles = false } = props;
  const translator = useTranslator();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [problems, setProblems] = useState(props.problems);
  const [isOver, setOver] = useState(false);
  /** The first of the files that were added last, from which the person sees that choosing had an effect. */
  const [latest, setLatest] = useState(0);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);

  const add = async (picked: readonly Picked[]) => {
    await queue.known;
    const lastKey = queue.entries.at(-1)?.key ?? 0;
    const { count, tooMany } = queue.add(sortByPath(picked, translator.locale, ({ path }) => path));
    setProblems(tooMany ? [translator.t('island.tooMany', { count: limits.maxFiles })] : []);
    if (count > 0) {
      const stopped = queue.entries.filter(isStopped).length;
      const cannot = stopped > 0 ? ` ${translator.t('island.cannot', { count: stopped })}.` : '';
      say(translator.t('island.added', { count }) + cannot);
      setLatest(queue.entries.find(({ key }) => key > lastKey)?.key ?? 0);
    }
    intent.remember();
  };

  // Runs before anything can be pressed.
  useLayoutEffect(() => {
    const draw = oncePerFrame(() => redraw(undefined));
    queue.onChange = () => {
      intent.check();
      props.onChange?.();
      draw();
    };
    queue.onNews = (news) => {
      const text = newsText(translator, news, limits, queue, intent);
      if (text !== '') say(text);
    };
    queue.onReachable = (reachable) =>
      say(translator.t(reachable ? 'island.online' : navigator.onLine ? 'island.unreachable' : 'island.offline'));
    intent.onChange = () => {
      props.onChange?.();
      draw();
    };
    const listening = new AbortController();
    const { signal } = listening;
    window.addEventListener('offline', () => queue.offline(), { signal });
    window.addEventListener('online', () => queue.online(), { signal });
    // Handles a drop anywhere on the page, because otherwise the browser would leave the page and open the file.
    const dragged = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const left = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const dropped = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(false);
      void readDroppedFiles(event.dataTransfer).then(add);
    };
    const pasted = (event: ClipboardEvent) => {
      const { clipboardData: data, target } = event;
      // A table of an office program is also in the clipboard as a picture.
      const isText =
        data?.types.includes('text/plain') && target instanceof Element && target.closest('input, textarea');
      if (!data?.files.length || isText) return;
      event.preventDefault();
      void add(readPastedFiles(data, new Date()));
    };
    const leaving = (event: BeforeUnloadEvent) => {
      const isLost = (entry: Entry) => !entry.kept && (entry.state === 'uploading' || entry.state === 'waiting');
      const isBusy = keepsHandles ? queue.entries.some(isLost) : queue.busy;
      if (isBusy || queue.entries.some((entry) => !keepsHandles && entry.state === 'checking')) event.preventDefault();
    };
    document.addEventListener('dragover', dragged, { signal });
    document.addEventListener('dragleave', left, { signal });
    document.addEventListener('drop', dropped, { signal });
    document.addEventListener('paste', pasted, { signal });
    window.addEventListener('beforeunload', leaving, { signal });
    queue.begin();
    return () => {
      queue.onChange = () => {};
      intent.onChange = () => {};
      queue.end();
      listening.abort();
    };
  }, [queue]);

  useLayoutEffect(() => {
    if (latest === 0) return;
    // The button that was pressed may be gone.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    showRow(latest, heading.current);
  }, [latest]);

  const remove = async ({ key, name }: Entry) => {
    say(translator.t('island.removed', { name }));
    const removal = queue.remove(key);
    intent.remember();
    if (!(await removal)) setProblems([translator.t('island.removeFailed', { name })]);
  };
  const removeFolder = async (below: string) => {
    const name = below.slice(0, -1);
    say(translator.t('island.removed', { name }));
    const inside = queue.entries.filter(({ path }) => path?.startsWith(below));
    const removals = inside.map(({ key }) => queue.remove(key));
    intent.remember();
    if ((await Promise.all(removals)).includes(false)) setProblems([translator.t('island.removeFailed', { name })]);
  };
  const take = (input: HTMLInputElement) => {
    void add(readPickedFiles(input.files));
    input.value = '';
  };
  const choose = async (what: 'files' | 'folder') => {
    const handled = keepsHandles ? await chooseHandles(what) : undefined;
    if (handled) await add(await readHandledFiles(handled));
    else (what === 'files' ? files : folder).current?.click();
  };
  /** Files of a folder are found again only with their folder. */
  const chooseAgain = (wanted: readonly Entry[]) =>
    void choose(wanted.every(({ path }) => path !== undefined) ? 'folder' : 'files');

  return {
    problems,
    setProblems,
    isOver,
    heading,
    add,
    choose: (what) => void choose(what),
    chooseAgain,
    inputs: (
      <>
        <input ref={files} type="file" multiple hidden onChange={(event) => take(event.currentTarget)} />
        <input ref={folder} type="file" {...wholeFolder} hidden onChange={(event) => take(event.currentTarget)} />
      </>
    ),
    banners: (
      <>
        {problems.map((problem, index) => (
          <Banner key={problem} tone="bad" id={`problem-${index}`}>
            {problem}
          </Banner>
        ))}
        {!queue.reachable && (
          <Banner tone="warn" id="connection">
            {translator.t(navigator.onLine ? 'island.unreachable' : 'island.offline')}
          </Banner>
        )}
      </>
    ),
    removeFolder: (path) => void removeFolder(path),
    row(entry) {
      const shown = {
        key: entry.key,
        entry,
        onPause: () => queue.pause(entry.key),
        onResume: () => queue.resume(entry.key),
        onRemove: () => void remove(entry),
        onChooseAgain: () => chooseAgain([entry]),
      };
      return isStopped(entry) ? (
        <StoppedRow {...shown} why={obstacleText(translator, entry.obstacle, limits)} />
      ) : (
        <UploadRow {...shown} />
      );
    },
  };
}

/** Scrolls to a row unless it can be seen; to the head of the list if the row is folded. */
function showRow(key: number, heading: HTMLElement | null): void {
  const row = document.querySelector(`[data-entry="${key}"]`) ?? heading;
  const { top = 0, bottom = 0 } = row?.getBoundingClientRect() ?? {};
  const barHeight = document.querySelector<HTMLElement>('.bar')?.offsetHeight ?? 0;
  if (top < 0 || bottom > innerHeight - barHeight) row?.scrollIntoView({ block: 'center' });
}

/** Announces single files only if they need the person; the arrival of one of many is not worth announcing. */
function newsText(
  translator: ViewTranslator,
  news: readonly News[],
  limits: FileLimits,
  queue: UploadQueue,
  intent: SendIntent,
): string {
  const bad = news.flatMap(({ name, obstacle }) =>
    obstacle ? translator.t('common.labelled', { label: name, value: obstacleText(translator, obstacle, limits) }) : [],
  );
  const isWorthAHint = bad.length > 0 || (queue.ready && intent.state === 'none');
  return [...bad.slice(0, namesTold), ...(isWorthAHint ? [sendHint(translator, queue, intent)] : [])].join(' ');
}

const namesTold = 3;

/** Draws at most once per frame, because progress is reported many times a second. */
export function oncePerFrame(draw: () => void): () => void {
  let planned = false;
  return () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      draw();
    });
  };
}
