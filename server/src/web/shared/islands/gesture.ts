import './local-times.ts';

/**
 * Records in the form's hidden field how it was sent. The first thing recorded is that a script ran at all: from then
 * on, only a press that the browser itself vouches for counts. This distinguishes a person from a mail scanner that
 * runs scripts, posts the form or has a script press the button.
 */
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-gesture]')) {
  const field = form.elements.namedItem(form.dataset['gesture'] ?? '');
  if (!(field instanceof HTMLInputElement)) continue;
  field.value = 'script';
  form.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element && event.target.closest('button') !== null;
    if (pressed && event.isTrusted) field.value = 'pressed';
  });
}
