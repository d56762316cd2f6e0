import type { AnchorHTMLAttributes, ButtonHTMLAttributes, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  /** `main` is the main action of the page: there is only one. `danger` destroys something. */
  readonly look?: 'main' | 'quiet' | 'plain' | 'danger' | undefined;
  readonly icon?: IconName | undefined;
}

export function Button(
  props: Omit<ButtonHTMLAttributes, 'icon'> &
    Look & {
      /** Whether the requested action is running. The button keeps the focus and shows that it is busy. */
      readonly busy?: boolean | undefined;
      /** The id of a Dialog or Sheet. A browser that does not support the attribute needs a script for it. */
      readonly opens?: string | undefined;
    },
): JSX.Element {
  const { look = 'quiet', icon, busy, opens, class: more, children, ...rest } = props;
  return (
    <button
      type="submit"
      {...rest}
      class={classes(look, more)}
      {...(busy ? { 'aria-busy': 'true', 'aria-disabled': 'true' } : {})}
      {...(opens === undefined ? {} : { command: 'show-modal', commandfor: opens })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button. */
export function ButtonLink({
  look = 'quiet',
  icon,
  class: more,
  children,
  ...rest
}: AnchorHTMLAttributes & Look): JSX.Element {
  return (
    <a {...rest} class={classes(look, more)}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}

/** An icon without text: screen readers read out its label, and a pointer shows its title. */
export function IconButton({
  icon,
  label,
  title = label,
  class: more,
  ...rest
}: Omit<ButtonHTMLAttributes, 'icon' | 'title'> & { icon: IconName; label: string; title?: string }): JSX.Element {
  return (
    <button type="button" {...rest} class={classes('icon', more)} aria-label={label} title={title}>
      <Icon name={icon} />
    </button>
  );
}

/** A link as an icon without text. */
export function IconLink(props: {
  icon: IconName;
  label: string;
  title?: string;
  href: string;
  class?: string;
  download?: boolean;
}): JSX.Element {
  const { icon, label, title = label, href, download } = props;
  return (
    <a class={classes('icon', props.class)} href={href} download={download} aria-label={label} title={title}>
      <Icon name={icon} />
    </a>
  );
}

function classes(look: string, more: unknown): string {
  return `button button-${look}${typeof more === 'string' ? ` ${more}` : ''}`;
}
