import type { ComponentChildren, JSX } from 'preact';

/** A part of a screen on a surface of its own, with its heading and what can be done with it. */
export function Panel(props: {
  title?: ComponentChildren;
  id?: string | undefined;
  action?: ComponentChildren;
  /** Whether its content reaches the edges, such as a table. */
  flush?: boolean | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="panel" id={props.id}>
      {props.title && (
        <div class="panel-head">
          <h2>{props.title}</h2>
          {props.action}
        </div>
      )}
      {props.flush ? props.children : <div class="panel-body">{props.children}</div>}
    </section>
  );
}
