/** A form that was sent, without its secrets. */
export interface KeptForm {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** In milliseconds. */
  readonly at: number;
}

/** More than a form of settings has; a longer one is not worth keeping. */
const maxLength = 100_000;

/** Returns what was entered, without passwords, codes and the form's token. */
export function takeFields(form: HTMLFormElement): KeptForm['fields'] {
  const secrets = new Set(
    [...form.elements]
      .filter((control) => control instanceof HTMLInputElement && isSecret(control))
      .map((control) => (control as HTMLInputElement).name),
  );
  return [...new FormData(form)].flatMap(([name, value]) =>
    typeof value !== 'string' || secrets.has(name) ? [] : [[name, value] as const],
  );
}

/** A password that is shown is a text field with the autocompletion of a password. */
function isSecret({ name, type, autocomplete }: HTMLInputElement): boolean {
  return name === 'csrftoken' || type === 'password' || /password|one-time-code/.test(autocomplete);
}

/** Undefined unless there is one that was sent after `since`. */
export function readKept(json: string | null, since: number): KeptForm | undefined {
  if (json === null || json.length > maxLength) return undefined;
  const kept = JSON.parse(json) as KeptForm;
  return kept.at > since ? kept : undefined;
}
