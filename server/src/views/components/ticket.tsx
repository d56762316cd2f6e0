import type { ComponentChildren, JSX } from 'preact';
import { Fields } from './card.tsx';
import { type Status, StatusChip } from './status-chip.tsx';

/** The summary of a delivery: its reference, its progress and its subject, and below the perforation the rest. */
export function Ticket(props: {
  number: string;
  status: Status;
  title: string;
  fields: readonly (readonly [label: string, value: string])[];
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <article class="ticket">
      <div class="ticket-about">
        <div class="ticket-head">
          <span class="ticket-number">{props.number}</span>
          <StatusChip status={props.status} />
        </div>
        <h2 class="ticket-title">{props.title}</h2>
        <Fields fields={props.fields} />
      </div>
      {props.children && <div class="ticket-do">{props.children}</div>}
    </article>
  );
}
