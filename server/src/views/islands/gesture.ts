/**
 * Notes in the form's hidden field how it was sent. That a script ran here at all is noted first: from then on only a
 * press that the browser itself vouches for counts, so that a mail scanner that runs scripts, posts the form or has a
 * script press the button is told from a person.
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
