import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { type Progress, type ProgressStep, summarizeProgress } from '../components/progress.ts';

const mailSteps: readonly ProgressStep[] = ['sent', 'delivered', 'opened', 'downloaded'];
const linkSteps: readonly ProgressStep[] = ['sent', 'opened', 'downloaded'];
const distance = 14.5;

/**
 * The progress of a delivery in one line: a full dot for a step that every receiver has reached, a ring for one that some
 * have, and in words how far it has come.
 */
export function Route({ progress }: { progress: Progress }): JSX.Element {
  const translator = useTranslator();
  const { tone, text, count, of, reached } = summarizeProgress(progress);
  const steps = progress.notify ? mailSteps : linkSteps;
  return (
    <span class={`route route-${tone}`}>
      <svg class="route-line" viewBox="0 0 56 12" aria-hidden="true">
        {steps.slice(1).map((step, index) => (
          <path
            key={step}
            class={reached[step] === 'none' ? 'way' : 'way way-on'}
            d={`M${10 + index * distance} 6h6.5`}
          />
        ))}
        {steps.map((step, index) => (
          <circle
            key={step}
            class={`stop stop-${reached[step]}`}
            cx={6 + index * distance}
            cy="6"
            r={reached[step] === 'failed' ? '4.2' : '3.6'}
          />
        ))}
      </svg>
      <span class="route-text">{translator.t(text, { count, of })}</span>
    </span>
  );
}
