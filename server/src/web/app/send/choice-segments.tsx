import type { ComponentChildren, JSX } from 'preact';

export interface Choice {
  readonly value: string;
  readonly label: string;
  /** The consequence of the choice, shown below while it is chosen. */
  readonly hint?: ComponentChildren;
}

/** Up to six radio buttons side by side, and below them what the chosen one means. It needs no script. */
export function ChoiceSegments(props: {
  name: string;
  /** The id of the element that names the group. */
  labelledBy: string;
  choices: readonly Choice[];
  value: string;
  /** The id of a text about an error. */
  describedBy?: string | undefined;
}): JSX.Element {
  const { name, choices } = props;
  return (
    <>
      <div
        class="segments segments-wide"
        role="radiogroup"
        aria-labelledby={props.labelledBy}
        aria-describedby={[`${name}-hints`, props.describedBy].filter((id) => id !== undefined).join(' ')}
      >
        {choices.map(({ value, label }) => (
          <label key={value}>
            <input type="radio" name={name} value={value} checked={value === props.value} />
            {label}
          </label>
        ))}
      </div>
      <div class="choice-hints quiet small" id={`${name}-hints`}>
        {choices.map(({ value, hint }) => (
          <div key={value}>{hint}</div>
        ))}
      </div>
    </>
  );
}
