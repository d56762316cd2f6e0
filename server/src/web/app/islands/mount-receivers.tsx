import type { ViewTranslator } from '../../../present/texts/translator-context.ts';
import { parseReceiversOffline, peopleService, writeReceivers } from './composer-people.ts';
import { addReceivers, noReceivers, ReceiverField, type ReceiverState } from './composer-receivers.tsx';
import { drawPart } from './draw-part.tsx';

export interface MountedReceivers {
  readonly state: ReceiverState;
  restore(state: ReceiverState): void;
  /** Adds those whom the page names. */
  addNamed(): Promise<void>;
  /** Takes what is still typed, and what the server has not responded to; called before the form is sent. */
  commit(): Promise<void>;
}

/** Draws chips in place of the list of a form, and writes them into the list, which the form sends. */
export function mountReceivers(
  form: HTMLFormElement,
  {
    translator,
    say,
    onChange,
  }: { translator: ViewTranslator; say: (text: string) => void; onChange: (state: ReceiverState) => void },
): MountedReceivers {
  const root = form.querySelector<HTMLElement>('#receivers');
  const list = form.querySelector<HTMLTextAreaElement>('#receiver');
  const token = form.querySelector<HTMLInputElement>('[name=csrftoken]');
  const people = peopleService(root?.dataset['href'] ?? '', () => token?.value ?? '');
  const chips = document.createElement('div');
  let state = noReceivers;
  let commitTyped: () => Promise<void> = async () => {};
  const named = list?.value ?? '';
  const underWay = new Set<Promise<void>>();
  const track = (work: Promise<void>) => {
    const done = work.finally(() => underWay.delete(done));
    underWay.add(done);
  };

  const draw = () =>
    drawPart(
      translator,
      <ReceiverField
        state={state}
        people={people}
        say={say}
        isInvalid={Boolean(form.querySelector('#receiver-problem')?.textContent)}
        onChange={change}
        onReady={(commit) => {
          commitTyped = commit;
        }}
        track={track}
      />,
      chips,
    );
  function change(by: (before: ReceiverState) => ReceiverState): void {
    state = by(state);
    if (list) {
      // Words that are no receivers are sent too, so that nobody is left out in silence.
      list.value = [writeReceivers(state.receivers), ...state.unreadable].join('\n');
      list.dispatchEvent(new Event('change', { bubbles: true }));
    }
    onChange(state);
    draw();
  }

  if (root && list) {
    list.hidden = true;
    form.querySelector('#receiver-hint')?.remove();
    form.querySelector('#receiver-label')?.setAttribute('for', 'receiver-input');
    root.append(chips);
    draw();
  }
  async function understandNamed(): Promise<void> {
    if (named.trim() === '') return;
    // At once: a draft that is kept before the server responds has them. The response completes them.
    const first = parseReceiversOffline(named).receivers;
    change((before) => addReceivers(before, { receivers: first, unreadable: [], nearMisses: [] }));
    const understood = await people.understand(named);
    change((before) => {
      const there = new Set(before.receivers.map(({ email }) => email));
      const removed = new Set(first.map(({ email }) => email).filter((email) => !there.has(email)));
      const receivers = understood.receivers.filter(({ email }) => !removed.has(email));
      return addReceivers(before, { ...understood, receivers });
    });
  }
  return {
    get state() {
      return state;
    },
    restore: (restored) => change(() => ({ ...noReceivers, ...restored })),
    addNamed() {
      const work = understandNamed();
      track(work);
      return work;
    },
    async commit() {
      await commitTyped();
      await Promise.all(underWay);
    },
  };
}
