import type { ComponentChildren, JSX } from 'preact';

/** Facts about one thing, each with its label beside it. */
export function KeyValues({
  values,
}: {
  values: readonly (readonly [label: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="key-values">
      {values.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
