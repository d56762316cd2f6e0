import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { useTranslator } from '../components/translator-context.ts';
import { type Entry, isStopped, type UploadState } from './upload-entry.ts';

/**
 * Up to this many files are listed in the order chosen. With more, files that need the person come first, and ready
 * files are folded.
 */
const comfortable = 10;
const rowsAtFirst = 20;
const rowsMore = 100;

/** Other states rank between those that need the person and those that wait for their turn. */
const ranks: Partial<Record<UploadState, number>> = { interrupted: -1, waiting: 1 };

/** Files that cannot be sent come first. */
export function UploadList(props: {
  entries: readonly Entry[];
  row: (entry: Entry) => JSX.Element;
  onRemoveInterrupted: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const [open, setOpen] = useState(false);
  const { row } = props;
  const stopped = props.entries.filter(isStopped);
  const entries = props.entries.filter((entry) => !isStopped(entry));
  const isLong = entries.length > comfortable;
  const ready = isLong ? entries.filter(({ state }) => state === 'ready') : [];
  const others = isLong ? entries.filter(({ state }) => state !== 'ready').toSorted(byUrgency) : entries;
  const interrupted = entries.filter(({ state }) => state === 'interrupted').length;
  return (
    <>
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
          {open && <Rows entries={ready} row={row} />}
        </details>
      )}
      {others.length > 0 && <Rows entries={others} row={row} />}
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

function byUrgency(one: Entry, other: Entry): number {
  return (ranks[one.state] ?? 0) - (ranks[other.state] ?? 0);
}
