import type { Person, Profile } from '../../../domain/people/person-store.ts';
import { isSafeName } from '../../../domain/safe-name.ts';

const nameLength = 100;

/** The name in a form. */
export function readName(form: URLSearchParams): string {
  return (form.get('name') ?? '').trim().slice(0, nameLength);
}

/** Reads what a form says about the person; what it does not say, or says wrongly, stays as it is. */
export function readProfile(form: URLSearchParams, person: Person): Profile {
  const typed = readName(form);
  const name = typed !== '' && isSafeName(typed) ? typed : person.name;
  const language = form.get('language');
  const timeZone = form.get('time_zone');
  return {
    name,
    // Empty for that of the browser.
    language:
      language !== null && /^(?:[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)?$/.test(language) ? language : person.language,
    timeZone: timeZone !== null && isTimeZone(timeZone) ? timeZone : person.timeZone,
  };
}

/** Whether it is empty, or the name of a time zone that this server knows. */
function isTimeZone(zone: string): boolean {
  if (zone === '') return true;
  if (!/^[A-Za-z0-9_+\-/]{1,60}$/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
