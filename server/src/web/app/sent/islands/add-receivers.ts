import '../../islands/frame.ts';
import { islandTranslator } from '../../../shared/islands/island-translator.ts';
import { mountReceivers } from '../../islands/mount-receivers.tsx';

/** Lets a person choose whom to ask as in the composer. */
function start(form: HTMLFormElement, json: string): void {
  const live = document.querySelector('[data-live][role=status]');
  const receivers = mountReceivers(form, {
    translator: islandTranslator(json),
    say: (text) => {
      if (live) live.textContent = text;
    },
    onChange: ({ unreadable }) => {
      if (unreadable.length === 0) form.querySelector('#receiver-problem')?.replaceChildren();
    },
  });
  void receivers.addNamed();
  let isCommitted = false;
  const submit = async () => {
    await receivers.commit();
    isCommitted = true;
    form.requestSubmit();
    isCommitted = false;
  };
  form.addEventListener('submit', (event) => {
    if (isCommitted) return;
    event.preventDefault();
    // A form cannot be submitted again before the browser is done with this event.
    setTimeout(() => void submit());
  });
}

const form = document.getElementById('request-form');
const json = document.getElementById('request-texts')?.textContent;
if (form instanceof HTMLFormElement && json) start(form, json);
