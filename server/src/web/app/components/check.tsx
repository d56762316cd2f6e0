import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';

/** A box to tick, or one of several to choose, with a line that says what it means. */
export function Check({
  label,
  note,
  ...input
}: InputHTMLAttributes & {
  id: string;
  type: 'checkbox' | 'radio';
  label: ComponentChildren;
  note?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="check">
      <input {...input} aria-describedby={note ? `${input.id}-note` : undefined} />
      <div>
        <label for={input.id}>{label}</label>
        {note && (
          <p id={`${input.id}-note`} class="quiet">
            {note}
          </p>
        )}
      </div>
    </div>
  );
}

/** A choice between on and off. It is a checkbox that is drawn as a switch, so that a form can send it. */
export function Switch(props: Omit<Parameters<typeof Check>[0], 'type'>): JSX.Element {
  return <Check {...props} type="checkbox" role="switch" class="switch" />;
}
