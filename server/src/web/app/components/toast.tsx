import type { ComponentChildren, JSX } from 'preact';
import { Icon } from '../../shared/components/icon.tsx';
import { type Tone, toneIcons } from '../../shared/components/tone.ts';

/**
 * The container of toasts. It is on the page before any of them, because a screen reader announces what is added to it.
 */
export function Toasts({ children }: { children?: ComponentChildren }): JSX.Element {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {children}
    </div>
  );
}

/** A message about something that has just happened, if nothing else on the page shows it. */
export function Toast({
  tone,
  children,
  action,
}: {
  tone: Tone;
  children: ComponentChildren;
  action?: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`toast tone-${tone}`}>
      <Icon name={toneIcons[tone]} />
      <p class="toast-text">{children}</p>
      {action}
    </div>
  );
}
