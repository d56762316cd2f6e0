import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icon.tsx';
import { type Tone, toneIcons } from './tone.ts';

/** A message that a person has to read before continuing. Screen readers read out an error, or what is `announced`, at once. */
export function Banner(props: {
  tone: Tone;
  id?: string | undefined;
  action?: ComponentChildren;
  announced?: boolean | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div
      class={`banner tone-${props.tone}`}
      id={props.id}
      role={props.tone === 'bad' || props.announced ? 'alert' : undefined}
    >
      <Icon name={toneIcons[props.tone]} />
      <p class="banner-text">{props.children}</p>
      {props.action}
    </div>
  );
}
