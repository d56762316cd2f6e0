import type { ComponentChildren, InputHTMLAttributes, JSX, SelectHTMLAttributes, TextareaHTMLAttributes } from 'preact';
import { Icon } from './icon.tsx';

interface Labelled {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  /** The error in the input, and how to correct it. */
  readonly problem?: ComponentChildren;
}

export function Field({ label, hint, problem, ...input }: Labelled & InputHTMLAttributes): JSX.Element {
  return (
    <FieldFrame id={input.id} label={label} hint={hint} problem={problem}>
      <input type="text" {...input} {...toDescription(input, hint, problem)} />
    </FieldFrame>
  );
}

export function TextArea({ label, hint, problem, ...area }: Labelled & TextareaHTMLAttributes): JSX.Element {
  return (
    <FieldFrame id={area.id} label={label} hint={hint} problem={problem}>
      <textarea rows={4} dir="auto" {...area} {...toDescription(area, hint, problem)} />
    </FieldFrame>
  );
}

export function Select({ label, hint, problem, ...select }: Labelled & SelectHTMLAttributes): JSX.Element {
  return (
    <FieldFrame id={select.id} label={label} hint={hint} problem={problem}>
      <select {...select} {...toDescription(select, hint, problem)} />
    </FieldFrame>
  );
}

export function FieldFrame({
  id,
  label,
  hint,
  problem,
  children,
}: Labelled & { children: ComponentChildren }): JSX.Element {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p id={`${id}-hint`} class="quiet small">
          {hint}
        </p>
      )}
      {problem && <FieldProblem id={`${id}-problem`}>{problem}</FieldProblem>}
    </div>
  );
}

/** The error in a field, or in several that belong together. */
export function FieldProblem({ id, children }: { id?: string; children: ComponentChildren }): JSX.Element {
  return (
    <p id={id} class="field-problem">
      <Icon name="alert" small />
      <span>{children}</span>
    </p>
  );
}

/**
 * Lists the ids of the texts that a screen reader reads after the label: other texts of the page about the field, its
 * hint and its problem.
 */
export function toDescription(
  own: Pick<InputHTMLAttributes, 'aria-describedby' | 'aria-invalid'> & { readonly id: string },
  hint: ComponentChildren,
  problem: ComponentChildren,
): Pick<InputHTMLAttributes, 'aria-describedby' | 'aria-invalid'> {
  const elsewhere = own['aria-describedby'];
  const by = [
    typeof elsewhere === 'string' ? elsewhere : '',
    hint ? `${own.id}-hint` : '',
    problem ? `${own.id}-problem` : '',
  ].filter((id) => id !== '');
  return {
    'aria-describedby': by.length > 0 ? by.join(' ') : undefined,
    'aria-invalid': problem ? 'true' : own['aria-invalid'],
  };
}
