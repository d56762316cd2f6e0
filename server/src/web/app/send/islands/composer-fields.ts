/** Fields that belong to one page, or that other parts keep. */
const unkept: ReadonlySet<string> = new Set([
  'csrftoken',
  'request_id',
  'receiver',
  'upload',
  'files',
  'sent_file',
  'again',
  'passphrase',
]);

export type FieldValues = Readonly<Record<string, string>>;

export function readField(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** Reads the fields that a draft keeps. */
export function readFields(form: HTMLFormElement): FieldValues {
  const fields: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) {
    if (typeof value === 'string' && !unkept.has(name)) fields[name] = value;
  }
  return fields;
}

/** Reads the files of another delivery that are sent again, and need no upload. */
export function readSentFiles(form: HTMLFormElement): { name: string; sizeBytes: number }[] {
  const checked = form.querySelectorAll<HTMLInputElement>('[name=sent_file]:checked');
  return Array.from(checked, ({ dataset }) => ({ name: dataset['path'] ?? '', sizeBytes: Number(dataset['size']) }));
}

export function restoreFields(form: HTMLFormElement, fields: FieldValues): void {
  for (const [name, value] of Object.entries(fields)) {
    const element = form.elements.namedItem(name);
    if (element instanceof RadioNodeList) element.value = value;
    else if (element instanceof HTMLInputElement && element.type === 'checkbox') element.checked = true;
    else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.value = value;
  }
}

/** Reads the last day in words, as the hint of the chosen lifetime says it. */
export function readLastDay(form: HTMLFormElement, locale: string): string | undefined {
  const choices = Array.from(form.querySelectorAll<HTMLInputElement>('[name=days]'));
  const index = choices.findIndex(({ checked }) => checked);
  if (index < 0) return undefined;
  if (choices[index]?.value !== '') {
    return form.querySelectorAll<HTMLElement>('#days-hints [data-until]')[index]?.dataset['until'];
  }
  const date = form.querySelector<HTMLInputElement>('[name=until]')?.valueAsDate;
  const day = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return date ? new Intl.DateTimeFormat(locale, day).format(date) : undefined;
}

/** Reads when the chosen lifetime ends. */
export function readDeadline(form: HTMLFormElement, now: Date): Date | undefined {
  const days = Number(readField(form, 'days'));
  if (days > 0) return new Date(now.getTime() + days * 86_400_000);
  const day = form.querySelector<HTMLInputElement>('[name=until]')?.value ?? '';
  return day === '' ? undefined : new Date(`${day}T23:59:59`);
}

/** Reads the fields of those who get their code by SMS, or by mail instead. */
export function readPhones(values: FieldValues): { phones: Map<string, string>; byMail: Set<string> } {
  const entries = Object.entries(values);
  const named = (prefix: string) =>
    entries.flatMap(([name, value]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), value] as const] : []));
  return {
    phones: new Map(named('phone:')),
    byMail: new Set(named('code:').flatMap(([email, code]) => (code === 'mail' ? [email] : []))),
  };
}

/** Takes the text that came from the device's Share menu out of the address. Returns whether there is one. */
export function takeSharedText(form: HTMLFormElement): boolean {
  const message = form.elements.namedItem('message');
  const shared = /^#message=(.*)$/s.exec(location.hash)?.[1];
  if (shared === undefined || !(message instanceof HTMLTextAreaElement)) return false;
  try {
    if (message.value === '') message.value = decodeURIComponent(shared);
  } catch {
    // Somebody has made up the address.
  }
  history.replaceState(null, '', location.pathname + location.search);
  return true;
}
