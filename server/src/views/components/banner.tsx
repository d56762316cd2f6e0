import type { ComponentChildren, JSX } from 'preact';
import { Icon } from './icon.tsx';
import { type Tone, toneIcons } from './tone.ts';

/** What a person has to know before continuing. An error is read out at once. */
export function Banner(props: {
  tone: Tone;
  id?: string | undefined;
  action?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`banner tone-${props.tone}`} id={props.id} role={props.tone === 'bad' ? 'alert' : undefined}>
      <Icon name={toneIcons[props.tone]} />
      <p class="banner-text">{props.children}</p>
      {props.action}
    </div>
  );
}
