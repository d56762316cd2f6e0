import '../../islands/frame.ts';
import { islandTranslator } from '../../../shared/islands/island-translator.ts';
import { drawPart } from '../../islands/draw-part.tsx';
import { mountReceivers } from '../../islands/mount-receivers.tsx';
import { readFields, readPhones } from '../../send/islands/composer-fields.ts';
import { PhoneRows } from '../../send/phone-rows.tsx';

/** Lets a person choose whom to add as in the composer. */
function start(form: HTMLFormElement, json: string): void {
  const translator = islandTranslator(json);
  const live = document.querySelector('[data-live][role=status]');
  const place = form.querySelector<HTMLElement>('#composer-phones');
  const restored = readFields(form);
  place?.replaceChildren();
  const drawPhones = () =>
    drawPart(
      translator,
      <PhoneRows
        {...readPhones({ ...restored, ...readFields(form) })}
        receivers={receivers.state.receivers}
        canChooseMail={place?.dataset['canChooseMail'] === 'true'}
        callingCode={place?.dataset['callingCode']}
        problems={new Map()}
      />,
      place,
    );
  const receivers = mountReceivers(form, {
    translator,
    say: (text) => {
      if (live) live.textContent = text;
    },
    onChange: ({ unreadable }) => {
      if (unreadable.length === 0) form.querySelector('#receiver-problem')?.replaceChildren();
      drawPhones();
    },
  });
  void receivers.addNamed();
  let isCommitted = false;
  const submit = async () => {
    await receivers.commit();
    const fix = document.getElementById('receiver-fix-0');
    if (fix) return fix.focus();
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

const form = document.getElementById('receivers')?.closest('form');
const json = document.getElementById('add-texts')?.textContent;
if (form && json) start(form, json);
