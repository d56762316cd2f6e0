import type { JSX } from 'preact';
import type { Webhook } from '../../../domain/webhooks/webhook-store.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Field } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Check } from '../components/check.tsx';
import { Ago } from './ago.tsx';
import { RevealedSecret } from './revealed-secret.tsx';
import { Setting } from './setting.tsx';
import { SettingItem, SettingItems } from './setting-item.tsx';
import { SettingsFrame, type SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { AddForm, Facts } from './settings-parts.tsx';

export type SettingsWebhook = Pick<
  Webhook,
  'id' | 'url' | 'description' | 'types' | 'createdAt' | 'disabled' | 'failingSince'
>;

const reasonTexts = {
  gone: 'settings.webhook.gone',
  failing: 'settings.webhook.failedLong',
  key_revoked: 'settings.webhook.keyRevoked',
  owner: 'settings.webhook.byOwner',
} as const;

/** The form of a webhook, as it was sent. */
export interface WebhookFields {
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[];
}

export interface SettingsWebhooksPageProps {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  readonly webhooks: readonly SettingsWebhook[];
  readonly eventTypes: readonly string[];
  /** The secret of the webhook that was just made, which is shown once. */
  readonly created?: { readonly url: string; readonly secret: string } | undefined;
  readonly refused?: (WebhookFields & { readonly problem: WebhookProblem }) | undefined;
  readonly notice?: SettingsNotice | undefined;
}

const problemTexts = { url: 'settings.webhook.urlProblem', too_many: 'settings.webhook.tooMany' } as const;
export type WebhookProblem = keyof typeof problemTexts;

/** The webhooks of an account, for its owners. */
export function SettingsWebhooksPage(props: SettingsWebhooksPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, webhooks, created, refused } = props;
  return (
    <SettingsFrame frame={frame} tab="webhooks" canManage>
      <Setting
        id="webhooks"
        title={translator.t('settings.webhooks')}
        about={translator.t('settings.webhooksAbout')}
        notice={describeNotice(translator, props.notice, 'webhooks')}
      >
        {created && <WebhookSecret {...created} />}
        {webhooks.length === 0 ? (
          <p class="quiet">{translator.t('settings.webhooksNone')}</p>
        ) : (
          <SettingItems label={translator.t('settings.webhooks')}>
            {webhooks.map((webhook) => (
              <WebhookItem key={webhook.id} webhook={webhook} {...props} />
            ))}
          </SettingItems>
        )}
        <AddForm
          frame={frame}
          path="webhooks"
          class="stack"
          label={translator.t('settings.webhook.new')}
          isOpen={refused !== undefined}
        >
          <WebhookFieldset eventTypes={props.eventTypes} fields={refused} problem={refused?.problem} />
          <div class="form-end">
            <Button>{translator.t('settings.webhook.create')}</Button>
          </div>
        </AddForm>
      </Setting>
    </SettingsFrame>
  );
}

export function WebhookSecret({ url, secret }: { url: string; secret: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <RevealedSecret value={secret} label={translator.t('settings.webhook.secret')}>
      {fillText(translator, 'settings.webhook.copy', { url: <strong dir="ltr">{url}</strong> })}
    </RevealedSecret>
  );
}

function WebhookItem({ webhook, frame, now }: SettingsWebhooksPageProps & { webhook: SettingsWebhook }): JSX.Element {
  const translator = useTranslator();
  return (
    <SettingItem
      icon="globe"
      title={
        <>
          <a href={`${frame.base}settings/webhooks/${webhook.id}`} dir="ltr" class="breakable">
            {webhook.url}
          </a>{' '}
          <WebhookState webhook={webhook} />
        </>
      }
      about={
        <Facts>
          {webhook.description !== '' && <bdi>{oneLine(webhook.description)}</bdi>}
          {webhook.types
            ? translator.t('settings.webhook.types', { count: webhook.types.length })
            : translator.t('settings.webhook.allTypes')}
          {webhook.failingSince &&
            fillText(translator, 'settings.webhook.since', { when: <Ago at={webhook.failingSince} now={now} /> })}
        </Facts>
      }
    />
  );
}

export function WebhookState({ webhook: { disabled, failingSince } }: { webhook: SettingsWebhook }): JSX.Element {
  const translator = useTranslator();
  if (disabled) return <span class="tag tone-quiet">{translator.t(reasonTexts[disabled.reason])}</span>;
  if (failingSince) return <span class="tag tone-warn">{translator.t('settings.webhook.failing')}</span>;
  return <span class="tag tone-calm">{translator.t('settings.webhook.active')}</span>;
}

/** The fields of a new webhook, or of one that is changed. */
export function WebhookFieldset(props: {
  eventTypes: readonly string[];
  fields?: WebhookFields | undefined;
  problem?: WebhookProblem | undefined;
}): JSX.Element {
  const translator = useTranslator();
  const { fields, problem } = props;
  return (
    <>
      <Field
        id="webhook-url"
        name="url"
        type="url"
        label={translator.t('settings.webhook.url')}
        hint={translator.t('settings.webhook.urlHint')}
        problem={problem && translator.t(problemTexts[problem])}
        value={fields?.url}
        maxLength={2048}
        dir="ltr"
        required
      />
      <Field
        id="webhook-description"
        name="description"
        label={translator.t('settings.webhook.description')}
        value={oneLine(fields?.description ?? '')}
        maxLength={200}
      />
      <details class="more" open={(fields?.types.length ?? 0) > 0}>
        <summary>{translator.t('settings.webhook.some')}</summary>
        <fieldset class="event-types">
          <legend class="unseen">{translator.t('settings.webhook.some')}</legend>
          <p class="quiet">{translator.t('settings.webhook.someHint')}</p>
          {props.eventTypes.map((type) => (
            <Check
              key={type}
              id={`type-${type}`}
              type="checkbox"
              name="type"
              value={type}
              defaultChecked={fields?.types.includes(type) ?? false}
              label={<code dir="ltr">{type}</code>}
            />
          ))}
        </fieldset>
      </details>
    </>
  );
}
