import type { ComponentChildren, JSX } from 'preact';

/** The head of a screen of the app: its title, and beside it what can be done with all of it. */
export function PageHead(props: {
  title: ComponentChildren;
  /** A line below the title. */
  about?: ComponentChildren;
  /** Where the screen belongs, above the title. */
  trail?: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  return (
    <header class="page-head">
      <div class="page-head-text">
        {props.trail}
        {/* Focusable by script, for a page that changes while it is open. */}
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.about && <p class="quiet">{props.about}</p>}
      </div>
      {props.actions && <div class="actions">{props.actions}</div>}
    </header>
  );
}

export interface Tab {
  readonly label: ComponentChildren;
  readonly href: string;
  readonly current: boolean;
}

/** The parts of a screen, each with a URL of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.href} href={tab.href} aria-current={tab.current ? 'page' : undefined}>
          {tab.label}
        </a>
      ))}
    </nav>
  );
}
