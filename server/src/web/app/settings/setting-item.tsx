import type { ComponentChildren, JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { Icon, type IconName } from '../../shared/components/icon.tsx';
import { Avatar } from '../components/avatar.tsx';

/** The list of what a person or account has, such as passkeys, sessions or members. */
export function SettingItems({ label, children }: { label: string; children: ComponentChildren }): JSX.Element {
  return (
    <ul class="panel setting-items" aria-label={label}>
      {children}
    </ul>
  );
}

export function SettingItem(
  props: ({ icon: IconName } | { /** A person's name, for their initials. */ avatar: string }) & {
    /** By which a link leads to the item. */
    id?: string;
    title: ComponentChildren;
    /** Facts in the second line. */
    about?: ComponentChildren;
    actions?: ComponentChildren;
    /** The form for changes, folded below the row: it works without a script. */
    more?:
      | {
          readonly label: string;
          /** The name of the item, for those who do not see the row. */
          readonly name: string;
          readonly open?: boolean | undefined;
          readonly children: ComponentChildren;
        }
      | undefined;
  },
): JSX.Element {
  const { more } = props;
  return (
    <li class="setting-item" id={props.id}>
      {'icon' in props ? <Icon name={props.icon} /> : <Avatar name={props.avatar} small />}
      <div class="setting-item-text">
        <p class="setting-item-title">{props.title}</p>
        {props.about && <p class="quiet">{props.about}</p>}
      </div>
      {props.actions && <div class="actions setting-item-actions">{props.actions}</div>}
      {more && (
        <details class="setting-item-more" open={more.open}>
          <summary>
            {more.label}
            <span class="unseen"> {oneLine(more.name)}</span>
          </summary>
          <div class="setting-item-forms">{more.children}</div>
        </details>
      )}
    </li>
  );
}
