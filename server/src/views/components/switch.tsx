import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact';

/** A choice between on and off. It is a checkbox that is drawn as a switch, so that a form can send it. */
export function Switch({
  label,
  note,
  ...input
}: InputHTMLAttributes & { id: string; label: ComponentChildren; note?: ComponentChildren }): JSX.Element {
  return (
    <div class="check">
      <input
        {...input}
        type="checkbox"
        role="switch"
        class="switch"
        aria-describedby={note ? `${input.id}-note` : undefined}
      />
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
