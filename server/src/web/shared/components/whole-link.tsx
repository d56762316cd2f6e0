import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { fillText } from './fill-text.ts';
import { Icon } from './icon.tsx';

/** A link whose end is missing. */
export interface CutOffLink {
  /** The path before the part that is missing, such as `/d/`. */
  readonly place: string;
  /** The characters that arrived of the rest. */
  readonly arrived: string;
  /** How many there are in a whole link. */
  readonly whole: number;
}

/** The end of the address, with a place for each character that is missing. */
export function CutOffAddress({ place, arrived, whole }: CutOffLink): JSX.Element {
  return (
    <p class="address address-broken tone-bad" aria-hidden="true">
      <Icon name="link" small />
      <span class="address-text">
        <bdi dir="ltr">
          …{place}
          <wbr />
          <strong>{arrived}</strong>
          <span class="gap">{'_'.repeat(whole - arrived.length)}</span>
        </bdi>
      </span>
    </p>
  );
}

/** The path that the form below is posted to. */
export const wholeLinkPath = '/open-link';

/** A field for a link that did not arrive as a whole: the server removes line breaks, and leads to its page. */
export function WholeLinkForm({ isForeign, publicUrl }: { isForeign?: boolean; publicUrl?: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <form method="post" action={wholeLinkPath} class="stack">
      <Field
        id="link"
        name="link"
        dir="ltr"
        label={translator.t('gone.whole.label')}
        hint={translator.t('gone.whole.hint')}
        problem={
          isForeign &&
          fillText(translator, 'gone.whole.foreign', {
            start: <bdi dir="ltr">{publicUrl}/</bdi>,
          })
        }
        required
        maxLength={2048}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
      <Button look="main">{translator.t('gone.whole.button')}</Button>
    </form>
  );
}
