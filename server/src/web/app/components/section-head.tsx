import type { ComponentChildren, JSX } from 'preact';

/** The heading of a part of a ticket, and what is so for all of it. */
export function SectionHead({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="section-head">
      <h2>{title}</h2>
      {children && <p class="quiet">{children}</p>}
    </div>
  );
}
