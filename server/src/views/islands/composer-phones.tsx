import type { JSX } from 'preact';
import { useTranslator } from '../components/translator-context.ts';
import { isolate } from '../plain.ts';
import type { FieldValues } from './composer-fields.ts';
import type { ChosenReceiver } from './composer-people.ts';

/** A form has at most 200 parts; more people are saved as contacts first. */
const maxPhones = 100;

/** A field for the number of each receiver who has none, for a code by SMS. */
export function PhoneFields(props: { receivers: readonly ChosenReceiver[]; values: FieldValues }): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      {props.receivers
        .filter(({ hasPhone }) => !hasPhone)
        .slice(0, maxPhones)
        .map(({ email, name }) => {
          const field = `phone:${email}`;
          return (
            <div class="field composer-phone" key={email}>
              <label for={field}>{translator.t('composer.phone', { name: isolate(name || email) })}</label>
              <input
                id={field}
                name={field}
                type="text"
                inputmode="tel"
                autocomplete="off"
                placeholder="+46 70 123 45 67"
                value={props.values[field] ?? ''}
              />
            </div>
          );
        })}
    </>
  );
}
