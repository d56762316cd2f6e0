import type { JSX } from 'preact';
import type { ApiKey } from '../../../domain/accounts/account-store.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Field, FieldProblem, TextArea } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { Check } from '../components/check.tsx';
import { Ago } from './ago.tsx';
import { RevealedSecret } from './revealed-secret.tsx';
import { Setting } from './setting.tsx';
import { SettingItem, SettingItems } from './setting-item.tsx';
import { SettingsFrame, type SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { AddForm, Facts, LastUse, Removal } from './settings-parts.tsx';

export const keyScopes = ['send', 'receive', 'contacts', 'history', 'webhooks', 'keys'] as const;
export type KeyScope = (typeof keyScopes)[number];

const scopeTexts: Record<KeyScope, string> = {
  send: 'settings.scope.send',
  receive: 'settings.scope.receive',
  contacts: 'settings.scope.contacts',
  history: 'settings.scope.history',
  webhooks: 'settings.scope.webhooks',
  keys: 'settings.scope.keys',
};

export type SettingsKey = Omit<ApiKey, 'accountId' | 'isTest' | 'createdBy' | 'revokedAt'>;

/** The form for a new key, as it was sent. */
export interface KeyFields {
  readonly name: string;
  readonly scopes: readonly KeyScope[] | null;
  readonly networks: string;
  /** Such as 2027-01-31; empty: never. */
  readonly expires: string;
}

export interface SettingsKeysPageProps {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  readonly keys: readonly SettingsKey[];
  /** The key that was just made, which is shown once. */
  readonly created?: { readonly name: string; readonly secret: string } | undefined;
  /** The fields that were not accepted, and why. */
  readonly refused?: (KeyFields & { readonly problem: KeyProblem }) | undefined;
  readonly notice?: SettingsNotice | undefined;
}

const problemTexts = {
  name: 'settings.key.nameProblem',
  scopes: 'settings.key.scopesProblem',
  networks: 'settings.key.networksProblem',
  expires: 'settings.key.expiresProblem',
  too_many: 'settings.key.tooMany',
} as const;
export type KeyProblem = keyof typeof problemTexts;

/** The API keys of an account, for its owners. */
export function SettingsKeysPage(props: SettingsKeysPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, created, keys } = props;
  return (
    <SettingsFrame frame={frame} tab="keys" canManage>
      <Setting
        id="keys"
        title={translator.t('settings.keys')}
        about={translator.t('settings.keysAbout')}
        notice={describeNotice(translator, props.notice, 'keys')}
      >
        {created && (
          <RevealedSecret value={created.secret} label={translator.t('settings.keys')}>
            {fillText(translator, 'settings.key.copy', { name: <strong dir="auto">{oneLine(created.name)}</strong> })}
          </RevealedSecret>
        )}
        {keys.length === 0 ? (
          <p class="quiet">{translator.t('settings.keysNone')}</p>
        ) : (
          <SettingItems label={translator.t('settings.keys')}>
            {keys.map((key) => (
              <KeyItem key={key.id} item={key} {...props} />
            ))}
          </SettingItems>
        )}
        <KeyForm {...props} />
      </Setting>
    </SettingsFrame>
  );
}

function KeyItem({ item, frame, now }: SettingsKeysPageProps & { item: SettingsKey }): JSX.Element {
  const translator = useTranslator();
  const { id, name, hint, scopes, networks, expiresAt, isLive } = item;
  const title = oneLine(name) || translator.t('settings.key.unnamed');
  const ending = isLive ? 'settings.key.until' : 'settings.key.ended';
  return (
    <SettingItem
      icon="key"
      title={
        <>
          <bdi>{title}</bdi> <code class="quiet">{hint}…</code>{' '}
          {!isLive && <span class="tag tone-quiet">{translator.t('settings.key.revoked')}</span>}
          {isLive && scopes === null && <span class="tag tone-warn">{translator.t('settings.scope.all')}</span>}
        </>
      }
      about={
        <>
          <Facts>
            {scopes?.map((scope) => translator.t(scopeTexts[scope])).join(', ')}
            {networks && <bdi>{networks.join(', ')}</bdi>}
          </Facts>
          <Facts>
            {expiresAt
              ? fillText(translator, ending, { when: <BriefMoment at={expiresAt} now={now} /> })
              : isLive && translator.t('settings.key.endless')}
            <LastUse at={item.lastUsedAt ?? undefined} now={now} />
            {fillText(translator, 'settings.added', { when: <Ago at={item.createdAt} now={now} /> })}
          </Facts>
        </>
      }
      more={
        isLive
          ? {
              label: translator.t('settings.invitation.revoke'),
              name: title,
              children: (
                <Removal
                  frame={frame}
                  path="keys/revoke"
                  id={id}
                  text={translator.t('settings.key.revokeText')}
                  label={translator.t('settings.invitation.revoke')}
                />
              ),
            }
          : undefined
      }
    />
  );
}

function KeyForm({ frame, refused }: SettingsKeysPageProps): JSX.Element {
  const translator = useTranslator();
  const find = (problem: KeyProblem) => refused?.problem === problem && translator.t(problemTexts[problem]);
  const isAll = refused?.scopes === null;
  return (
    <AddForm
      frame={frame}
      path="keys"
      class="stack"
      label={translator.t('settings.key.new')}
      isOpen={refused !== undefined}
    >
      {find('too_many') && <FieldProblem>{find('too_many')}</FieldProblem>}
      <Field
        id="key-name"
        name="name"
        label={translator.t('settings.key.name')}
        hint={translator.t('settings.key.nameHint')}
        problem={find('name')}
        value={refused?.name}
        maxLength={100}
        required
      />
      <fieldset class="scopes">
        <legend>{translator.t('settings.key.scopes')}</legend>
        {keyScopes.map((scope) => (
          <Check
            key={scope}
            id={`scope-${scope}`}
            type="checkbox"
            name="scope"
            value={scope}
            defaultChecked={refused ? (refused.scopes?.includes(scope) ?? false) : scope === 'send'}
            label={translator.t(scopeTexts[scope])}
          />
        ))}
        <Check
          id="scope-all"
          type="checkbox"
          name="all"
          value="on"
          defaultChecked={isAll}
          label={translator.t('settings.scope.all')}
          note={translator.t('settings.scope.allNote')}
        />
        {find('scopes') && <FieldProblem>{find('scopes')}</FieldProblem>}
      </fieldset>
      <div class="form-grid">
        <TextArea
          id="key-networks"
          name="networks"
          label={translator.t('settings.key.networks')}
          hint={translator.t('settings.key.networksHint')}
          problem={find('networks')}
          value={refused?.networks}
          rows={2}
          dir="ltr"
        />
        <Field
          id="key-expires"
          name="expires"
          type="date"
          label={translator.t('settings.key.expires')}
          hint={translator.t('settings.key.expiresHint')}
          problem={find('expires')}
          value={refused?.expires}
        />
      </div>
      <div class="form-end">
        <Button>{translator.t('settings.key.create')}</Button>
      </div>
    </AddForm>
  );
}
