import type { JSX } from 'preact';
import { isolate, oneLine } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Breakable } from '../shared/components/breakable.tsx';
import { Button } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { Icon, type IconName } from '../shared/components/icon.tsx';
import { fromField, type Sender } from '../shared/components/sender.tsx';

export interface StopPageProps {
  readonly sender: Sender;
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

export function stopTitle(
  translator: ViewTranslator,
  { stopped, sender }: Pick<StopPageProps, 'stopped' | 'sender'>,
): string {
  return translator.t(stopped ? 'stop.stopped.title' : 'stop.title', { sender: isolate(sender.name) });
}

/**
 * The page on which the reader of a mail stops or reports its sender. Mail scanners see it too, so a visit changes
 * nothing. Everything that a stop causes is said before the button.
 */
export function StopPage(props: StopPageProps): JSX.Element {
  const translator = useTranslator();
  const { stopped, reported, canReport, operator } = props;
  const sender = isolate(props.sender.name);
  return (
    <Card
      icon={stopped ? 'check' : 'mail'}
      tone={stopped ? 'good' : 'calm'}
      title={stopTitle(translator, props)}
      about={
        <>
          {stopped && <p class="lead">{translator.t('stop.stopped.text', { sender })}</p>}
          <Fields
            fields={[
              ...fromField(translator, props.sender),
              [translator.t('stop.you'), <Breakable>{oneLine(props.address)}</Breakable>],
            ]}
          />
          {!stopped && (
            <ul class="follows">
              <Follows icon="stop">{translator.t('stop.follows.mails')}</Follows>
              <Follows icon="link">{translator.t('stop.follows.links')}</Follows>
              <Follows icon="send">{translator.t('stop.follows.told', { sender })}</Follows>
            </ul>
          )}
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
        <section class="report">
          <h2>{translator.t('stop.reportTitle')}</h2>
          <p class="quiet small">{translator.t('stop.reportText', { operator })}</p>
          <Choice
            action={props.reportAction}
            gesture={props.gesture}
            look="quiet"
            label={translator.t('stop.report', { operator })}
          />
        </section>
      )}
    </Card>
  );
}

function Follows({ icon, children }: { icon: IconName; children: string }): JSX.Element {
  return (
    <li>
      <Icon name={icon} />
      <span>{children}</span>
    </li>
  );
}

function Choice(props: { action: string; gesture: string; look: 'main' | 'quiet'; label: string }): JSX.Element {
  return (
    <form
      method="post"
      action={props.action}
      data-gesture={props.gesture}
      class={props.look === 'main' ? 'stack' : undefined}
    >
      <input type="hidden" name={props.gesture} value="" />
      <Button look={props.look}>{props.label}</Button>
    </form>
  );
}
