import type { ComponentChildren, JSX } from 'preact';
import { Icon } from '../../shared/components/icon.tsx';
import { CopyField } from '../components/copy-field.tsx';

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
