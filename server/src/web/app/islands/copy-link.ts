/**
 * Copies a personal link by one press. The server says the link, and records that it was shown; without a clipboard, or
 * if the server refuses, the form shows the link or the reason on a page.
 */
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-copies-link]') : null;
  if (!(button instanceof HTMLButtonElement) || !('clipboard' in navigator)) return;
  event.preventDefault();
  void copyLink(button);
});

async function copyLink(button: HTMLButtonElement): Promise<void> {
  try {
    const link = askForLink(button);
    // Some browsers copy only what a press has begun: they take the promise, and wait for the server.
    if (typeof ClipboardItem === 'function') {
      const text = link.then((value) => new Blob([value], { type: 'text/plain' }));
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    } else {
      await navigator.clipboard.writeText(await link);
    }
  } catch {
    button.form?.requestSubmit(button);
    return;
  }
  const label = button.querySelector('[aria-live]');
  if (label) label.textContent = button.dataset['copiedLabel'] ?? '';
}

async function askForLink(button: HTMLButtonElement): Promise<string> {
  const { form, name, value } = button;
  const token = form?.querySelector<HTMLInputElement>('input[name=csrftoken]')?.value ?? '';
  const response = await fetch(button.formAction, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({ csrftoken: token, [name]: value }),
  });
  if (!response.ok || response.redirected) throw new Error(`The server responded with ${response.status}.`);
  const { links } = (await response.json()) as { links: readonly string[] };
  return links.join('\n');
}
