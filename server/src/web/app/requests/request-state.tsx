import type { JSX } from 'preact';
import type { SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon, type IconName } from '../../shared/components/icon.tsx';
import type { Tone } from '../../shared/components/tone.ts';

/** From which follows the state of a request for files. */
export interface RequestProgress extends Pick<SentDrop, 'state' | 'reusable' | 'expiresAt'> {
  /** How many contacts were asked, and how many of them have not sent files. */
  readonly receivers: number;
  readonly waiting: number;
}

const soonMilliseconds = 2 * 24 * 60 * 60 * 1000;

/** Says in one word what its owner wants to know about a request. */
export function RequestChip({ request, now }: { request: RequestProgress; now: Date }): JSX.Element {
  const translator = useTranslator();
  const [tone, icon, text] = chooseState(request, now);
  return (
    <span class={`status tone-${tone}`}>
      <Icon name={icon} small />
      {translator.t(text, { count: request.receivers - request.waiting, of: request.receivers })}
    </span>
  );
}

function chooseState(request: RequestProgress, now: Date): readonly [Tone, IconName, string] {
  const { state, receivers, waiting } = request;
  if (waiting === 0 && !(request.reusable && state === 'live')) return ['good', 'check', 'requests.arrived'];
  if (state === 'revoked') return ['quiet', 'stop', 'requests.closed'];
  if (state === 'expired')
    return ['quiet', 'clock', waiting < receivers ? 'requests.endedPartly' : 'requests.endedWithout'];
  if (waiting > 0 && request.expiresAt.getTime() - now.getTime() < soonMilliseconds) {
    return ['warn', 'clock', 'requests.endsSoon'];
  }
  if (request.reusable) return ['calm', 'retry', 'requests.reusable'];
  return waiting < receivers ? ['calm', 'request', 'requests.partly'] : ['quiet', 'mail', 'requests.waiting'];
}
