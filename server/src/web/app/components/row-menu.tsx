import type { JSX } from 'preact';
import { Icon, type IconName } from '../../shared/components/icon.tsx';

/** An action of a menu: a link to a page that asks or states more, or a button of the form around it. */
export interface MenuAction {
  readonly label: string;
  readonly icon: IconName;
  /** A link. */
  readonly href?: string | undefined;
  /** Where the form is sent. */
  readonly action?: string | undefined;
  /** Whether it destroys something: it is then the last, behind a line. */
  readonly danger?: boolean | undefined;
}

/** Further actions on a row, in a popover that the browser opens and closes by itself. */
export function RowMenu(props: { id: string; label: string; actions: readonly MenuAction[] }): JSX.Element | null {
  const { id, label } = props;
  if (props.actions.length === 0) return null;
  return (
    <>
      <button
        type="button"
        class="button button-icon row-menu-button"
        popovertarget={id}
        aria-label={label}
        title={label}
      >
        <Icon name="more" />
      </button>
      <div class="row-menu" id={id} popover="auto">
        <ul>
          {props.actions.map((action) => (
            <li key={action.label} class={action.danger ? 'row-menu-danger' : undefined}>
              <ActionControl {...action} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

function ActionControl({ label, icon, href, action }: MenuAction): JSX.Element {
  const content = (
    <>
      <Icon name={icon} />
      {label}
    </>
  );
  return href === undefined ? (
    <button type="submit" formAction={action}>
      {content}
    </button>
  ) : (
    <a href={href}>{content}</a>
  );
}
