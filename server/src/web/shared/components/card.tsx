import { type ComponentChildren, type JSX, toChildArray } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Heading } from './breakable.tsx';
import { Icon, type IconName } from './icon.tsx';

/** The ticket that makes up every page: its subject, and below the perforation the actions. */
export function Card(props: {
  icon: IconName;
  tone?: 'calm' | 'good' | 'bad' | undefined;
  wide?: boolean | undefined;
  /** On a wide screen, the perforation is vertical: the subject stays in view beside the actions. */
  columns?: boolean | undefined;
  /** The reference that people use for the exchange. */
  reference?: string | undefined;
  /** Whether everything is done; a ticket with a reference can be postmarked. */
  postmarked?: boolean | undefined;
  title: ComponentChildren;
  about?: ComponentChildren;
  children?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { reference, columns, wide } = props;
  // An array is there even if nothing in it is drawn, and a ticket without anything to do has no stub.
  const hasContent = toChildArray(props.children).length > 0;
  return (
    <main class={`ticket card${wide ? ' card-wide' : ''}${columns ? ' card-columns' : ''}`}>
      <div class="ticket-about">
        <div class="ticket-subject">
          {props.postmarked && reference !== undefined && <Postmark reference={reference} />}
          <div class="ticket-kind">
            <span class={`badge badge-${props.tone ?? 'calm'}`}>
              <Icon name={props.icon} />
            </span>
            {reference !== undefined && (
              <span class="ticket-number">
                <span class="unseen">{translator.t('common.reference')} </span>
                <bdi>{reference}</bdi>
              </span>
            )}
          </div>
          {/* Focusable by script, for a page that changes while it is open. */}
          <h1 tabIndex={-1}>{typeof props.title === 'string' ? <Heading>{props.title}</Heading> : props.title}</h1>
          {props.about}
        </div>
      </div>
      {hasContent && <div class="ticket-do">{props.children}</div>}
    </main>
  );
}

export function Fields({
  fields,
}: {
  fields: readonly (readonly [label: string, value: ComponentChildren])[];
}): JSX.Element {
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

/** The mark of a ticket on which nothing is left to do. The page's heading says the same to screen readers. */
function Postmark({ reference }: { reference: string }): JSX.Element {
  const [, start = '', end = ''] = reference.split('-');
  return (
    <svg class="postmark" viewBox="0 0 136 96" aria-hidden="true">
      <path
        class="postmark-waves"
        d="M2 32q8-6 16 0t16 0 16 0M0 44q8-6 16 0t16 0 14 0M0 56q8-6 16 0t16 0 14 0M2 68q8-6 16 0t16 0 16 0"
      />
      <circle cx="90" cy="48" r="43" />
      <circle cx="90" cy="48" r="38.5" />
      <text x="90" y="31">
        {start}
      </text>
      <path class="postmark-tick" d="m77 50 9 9 18-19" />
      <text x="90" y="77">
        {end}
      </text>
    </svg>
  );
}
