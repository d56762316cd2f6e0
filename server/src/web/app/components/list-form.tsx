import type { ComponentChildren, JSX } from 'preact';
import { CsrfField } from '../../shared/components/csrf-field.tsx';

/**
 * The form around a list: each of its buttons says with `formaction` where it is sent. The first button is the one that
 * Enter in a checkbox would press; it is disabled, so that Enter does nothing.
 */
export function ListForm({
  csrf,
  label,
  children,
}: {
  csrf: string;
  label?: string | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form class="list-form" method="post" aria-label={label}>
      <button type="submit" disabled hidden />
      <CsrfField csrf={csrf} />
      {children}
    </form>
  );
}
