import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from '../../shared/components/icon.tsx';

/** Replaces an empty list: says why it is empty, and how to add something to it. */
export function EmptyState(props: {
  icon: IconName;
  title: string;
  children: ComponentChildren;
  action?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <span class="badge">
        <Icon name={props.icon} />
      </span>
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      {props.action}
    </div>
  );
}
