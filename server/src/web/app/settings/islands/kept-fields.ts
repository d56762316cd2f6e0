import { isChanged } from './is-changed.ts';

/** A form that was sent, without its secrets. */
export interface KeptForm {
  readonly action: string;
  /** The hidden fields that tell the form from others with the same action. */
  readonly hidden: readonly (readonly [name: string, value: string])[];
  readonly fields: readonly KeptField[];
  /** In milliseconds. */
  readonly at: number;
}

export interface KeptField {
  readonly name: string;
  readonly value: string;
  /** Of a box or a choice: its value is not what was entered. */
  readonly isChecked?: boolean;
}

/** The longest form that is kept: more than one of settings has. */
const maxLength = 100_000;

/** Hidden fields that another page of the same form has with another value. */
const perPage: ReadonlySet<string> = new Set(['csrftoken', 'version']);

export function takeHidden(form: HTMLFormElement): KeptForm['hidden'] {
  return [...form.querySelectorAll<HTMLInputElement>('input[type=hidden]')]
    .filter(({ name }) => !perPage.has(name))
    .map(({ name, value }) => [name, value]);
}

/**
 * Returns what was entered, without passwords and codes. What the person has left as it was stays out: somebody else may
 * change it meanwhile. A form that was refused came with what had been entered before, so everything counts.
 */
export function takeFields(form: HTMLFormElement, isRefused: boolean): KeptField[] {
  return [...form.elements].flatMap((control) => {
    if (!isField(control) || isSecret(control) || !(isRefused || isChanged(control))) return [];
    const { name, value } = control;
    return [isBox(control) ? { name, value, isChecked: control.checked } : { name, value }];
  });
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function isField(control: Element): control is Field {
  if (control instanceof HTMLInputElement) return control.type !== 'hidden' && control.type !== 'file';
  return control instanceof HTMLSelectElement || control instanceof HTMLTextAreaElement;
}

export function isBox(control: Field): control is HTMLInputElement {
  return control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio');
}

/** A password that is shown is a text field with the autocompletion of a password. */
function isSecret({ type, autocomplete }: Field): boolean {
  return type === 'password' || /password|one-time-code/.test(autocomplete);
}

/** Undefined unless there is one that was sent after `since`. */
export function readKept(json: string | null, since: number): KeptForm | undefined {
  if (json === null || json.length > maxLength) return undefined;
  const kept = JSON.parse(json) as KeptForm;
  return kept.at > since ? kept : undefined;
}
