import type { JSX } from 'preact';
import type { WebhookAttempt } from '../../../domain/webhooks/webhook-store.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button } from '../../shared/components/button.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { ListTable } from '../components/list-table.tsx';
import { Pager, type Pages } from '../components/pager.tsx';
import { SaveBar } from './save-bar.tsx';
import { Setting } from './setting.tsx';
import { SettingsFrame, type SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { Removal, SettingForm } from './settings-parts.tsx';
import {
  type SettingsWebhook,
  type WebhookFields,
  WebhookFieldset,
  type WebhookProblem,
  WebhookSecret,
  WebhookState,
} from './settings-webhooks-page.tsx';

const failureTexts = {
  no_public_address: 'settings.attempt.noAddress',
  url_not_allowed: 'settings.attempt.notAllowed',
  no_connection: 'settings.attempt.noConnection',
  tls_failed: 'settings.attempt.tlsFailed',
  timeout: 'settings.attempt.timeout',
  broken_response: 'settings.attempt.broken',
} as const;

export interface SettingsWebhookPageProps {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  readonly webhook: SettingsWebhook & { readonly version: number };
  readonly eventTypes: readonly string[];
  /** The newest first. */
  readonly attempts: readonly WebhookAttempt[];
  readonly pages: Pages;
  /** A new secret, which is shown once. */
  readonly secret?: string | undefined;
  readonly refused?: (WebhookFields & { readonly problem: WebhookProblem }) | undefined;
  /** Whether somebody else has changed it since the form was made. */
  readonly isOvertaken?: boolean | undefined;
  readonly notice?: SettingsNotice | undefined;
}

/** One webhook: what was sent to it, and what can be changed. */
export function SettingsWebhookPage(props: SettingsWebhookPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, webhook, refused } = props;
  const { id, version, url, description, types, disabled } = webhook;
  const listHref = `${frame.base}settings/webhooks`;
  return (
    <SettingsFrame frame={frame} tab="webhooks" canManage>
      <Crumbs label={translator.t('settings.webhooks')} href={listHref}>
        <span dir="ltr">{url}</span>
      </Crumbs>
      <Setting
        id="webhooks"
        title={translator.t('settings.webhook.log')}
        about={
          <>
            <WebhookState webhook={webhook} /> {translator.t('settings.webhook.logAbout')}
          </>
        }
        notice={describeNotice(translator, props.notice, 'webhooks')}
      >
        {props.secret !== undefined && <WebhookSecret url={url} secret={props.secret} />}
        <Attempts {...props} />
        <Pager pages={props.pages} />
        <div class="actions">
          {!disabled && <IdForm frame={frame} id={id} path="test" label={translator.t('settings.webhook.test')} />}
          <IdForm
            frame={frame}
            id={id}
            path={disabled ? 'enable' : 'disable'}
            label={translator.t(disabled ? 'settings.webhook.enable' : 'settings.webhook.disable')}
          />
        </div>
      </Setting>
      <Setting id="change" title={translator.t('settings.change')}>
        {props.isOvertaken && <Banner tone="bad">{translator.t('delivery.problem.changed')}</Banner>}
        <SettingForm frame={frame} path="webhooks/change" class="stack">
          <input type="hidden" name="id" value={id} />
          <input type="hidden" name="version" value={version} />
          <WebhookFieldset
            eventTypes={props.eventTypes}
            fields={refused ?? { url, description, types: types ?? [] }}
            problem={refused?.problem}
          />
          <SaveBar />
        </SettingForm>
        <SettingForm frame={frame} path="webhooks/secret" class="line-form">
          <input type="hidden" name="id" value={id} />
          <p>{translator.t('settings.webhook.replaceText')}</p>
          <Button>{translator.t('settings.webhook.replace')}</Button>
        </SettingForm>
        <Removal frame={frame} path="webhooks/remove" id={id} text={translator.t('settings.webhook.removeText')} />
      </Setting>
    </SettingsFrame>
  );
}

function IdForm(props: { frame: SettingsFrameProps; id: string; path: string; label: string }): JSX.Element {
  return (
    <SettingForm frame={props.frame} path={`webhooks/${props.path}`}>
      <input type="hidden" name="id" value={props.id} />
      <Button>{props.label}</Button>
    </SettingForm>
  );
}

function Attempts({ frame, webhook, attempts, now }: SettingsWebhookPageProps): JSX.Element {
  const translator = useTranslator();
  if (attempts.length === 0) return <p class="quiet">{translator.t('settings.attemptsNone')}</p>;
  return (
    <div class="attempts">
      <ListTable
        caption={translator.t('settings.webhook.log')}
        rows={attempts}
        rowKey={({ id }) => id}
        columns={[
          {
            name: 'event',
            label: translator.t('settings.attempt.event'),
            cell: ({ type }) => <code dir="ltr">{type}</code>,
          },
          {
            name: 'when',
            label: translator.t('settings.attempt.when'),
            cell: ({ at }) => <BriefMoment at={at} now={now} show="day-time" />,
          },
          {
            name: 'result',
            label: translator.t('settings.attempt.result'),
            cell: (attempt) => <Result attempt={attempt} />,
          },
          {
            name: 'took',
            label: translator.t('settings.attempt.took'),
            end: true,
            cell: ({ durationMs }) => translator.t('settings.attempt.ms', { count: durationMs }),
          },
          {
            name: 'replay',
            label: translator.t('settings.attempt.replay'),
            unlabelled: true,
            end: true,
            cell: ({ eventId, type }) =>
              type !== 'webhook.test' && (
                <SettingForm frame={frame} path="webhooks/replay">
                  <input type="hidden" name="id" value={webhook.id} />
                  <input type="hidden" name="event" value={eventId} />
                  <Button look="plain">{translator.t('settings.attempt.replay')}</Button>
                </SettingForm>
              ),
          },
        ]}
      />
    </div>
  );
}

function Result({ attempt }: { attempt: WebhookAttempt }): JSX.Element {
  const translator = useTranslator();
  const isGood = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
  return (
    <span class={`status tone-${isGood ? 'good' : 'bad'}`}>
      <Icon name={isGood ? 'check' : 'alert'} small />
      {describeResult(translator, attempt)}
    </span>
  );
}

function describeResult(translator: ViewTranslator, { status, failure, attempt }: WebhookAttempt): string {
  const result = status === null ? translator.t(failureTexts[failure ?? 'no_connection']) : String(status);
  return attempt === 1 ? result : translator.t('settings.attempt.number', { result, count: attempt });
}
