import type { ComponentChildren, JSX } from 'preact';

/** A question that few readers have, with its reply folded away. */
export function Disclosure({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <details class="more small">
      <summary>{title}</summary>
      <p class="quiet">{children}</p>
    </details>
  );
}
