import type { ComponentChildren, JSX } from 'preact';
import { oneLine } from '../plain.ts';
import { Icon, type IconName } from './icon.tsx';

/** A list of what a person or account has: passkeys, sessions, members. */
export function Things({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <ul class="panel things" aria-label={label}>
      {children}
    </ul>
  );
}

export function Thing(props: {
  icon: IconName;
  title: ComponentChildren;
  /** Facts in the second line. */
  about?: ComponentChildren;
  actions?: ComponentChildren;
  /** The form for changes, folded below the row: it works without a script. */
  more?:
    | {
        readonly label: string;
        /** The name of the thing, for those who do not see the row. */
        readonly name: string;
        readonly open?: boolean | undefined;
        readonly children: ComponentChildren;
      }
    | undefined;
}): JSX.Element {
  const { more } = props;
  return (
    <li class="thing">
      <Icon name={props.icon} />
      <div class="thing-text">
        <p class="thing-title">{props.title}</p>
        {props.about && <p class="quiet">{props.about}</p>}
      </div>
      {props.actions && <div class="actions thing-actions">{props.actions}</div>}
      {more && (
        <details class="thing-more" open={more.open}>
          <summary>
            {more.label}
            <span class="unseen"> {oneLine(more.name)}</span>
          </summary>
          <div class="thing-forms">{more.children}</div>
        </details>
      )}
    </li>
  );
}
