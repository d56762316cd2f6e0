import { isBox, isField, type KeptForm, readKept, takeFields, takeHidden } from './kept-fields.ts';

/** Kept for as long as a sign-in may take, in this tab only. */
const key = 'waybill form';
const maxAgeMs = 30 * 60_000;

/** A form may lead to the sign-in first. What was entered is kept meanwhile, except secrets. */
document.addEventListener('submit', ({ target }) => {
  if (!(target instanceof HTMLFormElement)) return;
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const kept: KeptForm = {
    action: target.getAttribute('action') ?? '',
    hidden: takeHidden(target),
    fields: takeFields(target, navigation?.responseStatus === 400),
    at: Date.now(),
  };
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // A browser without storage keeps nothing.
  }
});

/** Fills in the form that was sent before the sign-in, and leads to it: its owner looks at it and sends it again. */
function restore({ action, hidden, fields }: KeptForm): void {
  const forms = [...document.querySelectorAll('form')].filter((each) => each.getAttribute('action') === action);
  const form = forms.find((each) => JSON.stringify(takeHidden(each)) === JSON.stringify(hidden));
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
  const controls = [...form.elements].filter(isField);
  for (const { name, value, isChecked } of fields) {
    const control = controls.find((each) => each.name === name && (isChecked === undefined || each.value === value));
    if (!control) continue;
    if (isBox(control)) control.checked = isChecked ?? false;
    else control.value = value;
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
