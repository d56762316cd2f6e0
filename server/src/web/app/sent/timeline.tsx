import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { statuses } from './status-chip.tsx';

const mailSteps = ['sent', 'delivered', 'opened', 'downloaded'] as const;
/** Of a link that its sender passes on: nothing is delivered to a mail server. */
const linkSteps = ['linkCreated', 'opened', 'downloaded'] as const;

type Step = (typeof mailSteps)[number] | (typeof linkSteps)[number];

/** The progress of a delivery, with the time of each step so far. */
export function Timeline(props: {
  at: Partial<Record<Step, Date>>;
  /** Whether it could not be delivered, so that the later steps never happen. */
  undeliverableAt?: Date | undefined;
  /** Draws it small, with times as short as they can be now. */
  now?: Date | undefined;
}): JSX.Element {
  const translator = useTranslator();
  const steps: readonly Step[] = props.at.linkCreated ? linkSteps : mailSteps;
  return (
    <ol class={`timeline${props.now ? ' timeline-small' : ''}`}>
      {steps.map((step) => {
        const failed = step === 'delivered' && props.undeliverableAt !== undefined;
        const at = failed ? props.undeliverableAt : props.at[step];
        const { text, icon } = statuses[failed ? 'undeliverable' : step];
        return (
          <li key={step} class={`step${failed ? ' step-failed' : at ? ' step-done' : ''}`}>
            <span class="step-dot">
              <Icon name={icon} small />
            </span>
            <div class="step-about">
              <p class="step-name">{translator.t(text)}</p>
              {at && props.now ? (
                <span class="step-time">
                  <BriefMoment at={at} now={props.now} show="day-time" />
                </span>
              ) : at ? (
                <time class="step-time" dateTime={at.toISOString()}>
                  {translator.formatShortDate(at)}
                </time>
              ) : (
                <span class={props.undeliverableAt ? 'unseen' : 'step-time'}>{translator.t('status.pending')}</span>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
