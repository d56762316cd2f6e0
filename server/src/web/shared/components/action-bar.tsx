import type { ComponentChildren, JSX } from 'preact';

/**
 * The main action of a page, always in view: a bar at the lower edge of a small screen, and part of the ticket on a wide
 * one.
 */
export function ActionBar(props: {
  /** The subject of the action, in a few words. */
  title?: ComponentChildren;
  detail?: ComponentChildren;
  /** Shown below the action on a wide screen, where there is room for a sentence. */
  note?: ComponentChildren;
  /** A condition that must be known before the action, always beside it. */
  caution?: ComponentChildren;
  /** The upper edge of the bar, such as a line of progress. */
  edge?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="bar">
      {props.edge}
      {props.caution && <p class="bar-caution">{props.caution}</p>}
      {props.title && (
        <p class="bar-text">
          <strong>{props.title}</strong>
          {props.detail && <span>{props.detail}</span>}
        </p>
      )}
      {props.children}
      {props.note && <p class="bar-note">{props.note}</p>}
    </div>
  );
}
