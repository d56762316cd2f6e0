import type { JSX } from 'preact';
import { Button } from '../components/button.tsx';
import { Card, Fields } from '../components/card.tsx';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { oneLine } from '../plain.ts';

export interface StopPageProps {
  readonly sender: string;
  /** The reader's own address. */
  readonly address: string;
  readonly operator: string;
  readonly stopped: boolean;
  readonly reported: boolean;
  /** Whether the operator wants to know about unwanted senders. */
  readonly canReport: boolean;
  readonly stopAction: string;
  readonly resumeAction: string;
  readonly reportAction: string;
  /** The name of the hidden field in which the page's script records that a person pressed the button. */
  readonly gesture: string;
}

export function stopTitle(translator: ViewTranslator, { stopped }: Pick<StopPageProps, 'stopped'>): string {
  return translator.t(stopped ? 'stop.stopped.title' : 'stop.title');
}

/**
 * The page on which the reader of a mail stops or reports its sender. Mail scanners see it too, so a visit changes
 * nothing.
 */
export function StopPage(props: StopPageProps): JSX.Element {
  const translator = useTranslator();
  const { stopped, reported, canReport, operator } = props;
  return (
    <Card
      icon={stopped ? 'check' : 'mail'}
      tone={stopped ? 'good' : 'calm'}
      title={stopTitle(translator, props)}
      about={
        <>
          <p class="lead">{translator.t(stopped ? 'stop.stopped.text' : 'stop.text')}</p>
          <Fields
            fields={[
              [translator.t('common.from'), oneLine(props.sender)],
              [translator.t('common.to'), oneLine(props.address)],
            ]}
          />
        </>
      }
    >
      {stopped ? (
        <Choice action={props.resumeAction} gesture={props.gesture} look="quiet" label={translator.t('stop.resume')} />
      ) : (
        <Choice action={props.stopAction} gesture={props.gesture} look="main" label={translator.t('stop.button')} />
      )}
      {canReport && reported && <p class="quiet">{translator.t('stop.reported', { operator })}</p>}
      {canReport && !reported && (
        <>
          <p class="quiet small">{translator.t('stop.reportText', { operator })}</p>
          <Choice
            action={props.reportAction}
            gesture={props.gesture}
            look="quiet"
            label={translator.t('stop.report')}
          />
        </>
      )}
    </Card>
  );
}

function Choice(props: { action: string; gesture: string; look: 'main' | 'quiet'; label: string }): JSX.Element {
  return (
    <form method="post" action={props.action} data-gesture={props.gesture}>
      <input type="hidden" name={props.gesture} value="" />
      <Button look={props.look}>{props.label}</Button>
    </form>
  );
}
