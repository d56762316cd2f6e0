import type { ComponentChildren, JSX } from 'preact';
import { CopyField } from './copy-field.tsx';
import { Icon } from './icon.tsx';

/** A secret on the only page that ever shows it. Screen readers read out the sentence at once. */
export function RevealedSecret(props: { value: string; label: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="banner tone-good revealed" role="alert">
      <Icon name="key" />
      <div class="stack-s">
        <p>{props.children}</p>
        <CopyField value={props.value} label={props.label} />
      </div>
    </div>
  );
}
