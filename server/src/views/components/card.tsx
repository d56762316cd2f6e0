import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** The sheet that every page is: what it is about, and below the perforation what there is to do. */
export function Card(props: {
  icon: IconName;
  tone?: 'calm' | 'good' | 'bad' | undefined;
  wide?: boolean | undefined;
  title: ComponentChildren;
  about?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <main class={`card${props.wide ? ' card-wide' : ''}`}>
      <div class="card-about">
        <span class={`badge badge-${props.tone ?? 'calm'}`}>
          <Icon name={props.icon} />
        </span>
        {/* Focusable by script, for a page that changes while it is open. */}
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.about}
      </div>
      {props.children && <div class="card-do">{props.children}</div>}
    </main>
  );
}

export function Fields({ fields }: { fields: readonly (readonly [label: string, value: string])[] }): JSX.Element {
  return (
    <dl class="fields">
      {fields.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Problem({ id, children }: { id: string; children: ComponentChildren }): JSX.Element {
  return (
    <p class="problem" id={id} role="alert">
      <Icon name="alert" />
      <span>{children}</span>
    </p>
  );
}
