import { type KeptForm, readKept, takeFields } from './kept-fields.ts';

/** Kept for as long as a sign-in may take, in this tab only. */
const key = 'waybill form';
const maxAgeMs = 30 * 60_000;

/** A form may lead to the sign-in first. What was entered is kept meanwhile, except secrets. */
document.addEventListener('submit', ({ target }) => {
  if (!(target instanceof HTMLFormElement)) return;
  const kept: KeptForm = { action: target.getAttribute('action') ?? '', fields: takeFields(target), at: Date.now() };
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // A browser without storage keeps nothing.
  }
});

/** Fills in the form that was sent before the sign-in, and leads to it: its owner looks at it and sends it again. */
function restore({ action, fields }: KeptForm): void {
  const forms = [...document.querySelectorAll('form')].filter((each) => each.getAttribute('action') === action);
  const hidden = (form: HTMLFormElement) => [...form.querySelectorAll<HTMLInputElement>('input[type=hidden]')];
  const isSame = (form: HTMLFormElement) =>
    hidden(form).every(
      ({ name, value }) => name === 'csrftoken' || fields.some((field) => field[0] === name && field[1] === value),
    );
  const form = forms.find(isSame);
  if (!form) return;
  fillIn(form, fields);
  for (let part = form.parentElement; part; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
  form.dispatchEvent(new Event('input', { bubbles: true }));
  const empty = form.querySelector<HTMLElement>('input[type=password]');
  (empty ?? form.querySelector<HTMLElement>('button:not([type=button])'))?.focus();
}

function fillIn(form: HTMLFormElement, fields: KeptForm['fields']): void {
  const left = Map.groupBy(fields, ([name]) => name);
  for (const control of form.elements) {
    if (control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')) {
      control.checked = fields.some(([name, value]) => name === control.name && value === control.value);
    } else if (
      control instanceof HTMLSelectElement ||
      control instanceof HTMLTextAreaElement ||
      (control instanceof HTMLInputElement && control.type !== 'hidden')
    ) {
      const [, value] = left.get(control.name)?.shift() ?? [];
      if (value !== undefined) control.value = value;
    }
  }
}

const address = new URL(location.href);
try {
  const kept = readKept(sessionStorage.getItem(key), Date.now() - maxAgeMs);
  sessionStorage.removeItem(key);
  if (kept && address.searchParams.has('again')) restore(kept);
} catch {
  // A browser without storage has kept nothing.
}
if (address.searchParams.has('again')) {
  // A reload, or a page from the history, is not the way back from a sign-in.
  address.searchParams.delete('again');
  history.replaceState(history.state, '', address);
}
