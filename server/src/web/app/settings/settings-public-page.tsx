import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Field, TextArea } from '../../shared/components/field.tsx';
import { fillText } from '../../shared/components/fill-text.ts';
import { Switch } from '../components/check.tsx';
import { Ago } from './ago.tsx';
import { SaveBar } from './save-bar.tsx';
import { Setting } from './setting.tsx';
import { SettingItem, SettingItems } from './setting-item.tsx';
import type { SettingsFrameProps } from './settings-frame.tsx';
import { describeNotice, type SettingsNotice } from './settings-notice.ts';
import { SettingForm } from './settings-parts.tsx';

export interface SettingsPublicPageProps {
  readonly frame: SettingsFrameProps;
  readonly now: Date;
  /** Whether the person is an owner; otherwise the part only shows. */
  readonly canManage: boolean;
  readonly publicPage: {
    readonly isOpen: boolean;
    readonly name: string;
    readonly message: string;
    /** The address of the page up to its name, such as `https://files.example.org/to/`. */
    readonly url: string;
    readonly problem?: 'shape' | 'reserved' | 'taken' | 'message' | 'forbidden' | undefined;
    /** Whether the operator allows such pages. */
    readonly isAllowed: boolean;
    readonly blocked: readonly { readonly email: string; readonly blockedAt: Date }[];
  };
  readonly notice?: SettingsNotice | undefined;
}

const problems = {
  shape: 'settings.public.problem.shape',
  reserved: 'settings.public.problem.reserved',
  taken: 'settings.public.problem.taken',
  message: 'settings.public.problem.message',
  forbidden: 'settings.public.forbidden',
} as const;

/** The part of the account's settings for the page on which anyone can send files to it. */
export function SettingsPublicPage(props: SettingsPublicPageProps): JSX.Element {
  const translator = useTranslator();
  const { frame, canManage, publicPage, notice } = props;
  const { isOpen, name, message, url, problem, blocked, isAllowed } = publicPage;
  const problemText = problem && translator.t(problems[problem]);
  return (
    <Setting
      id="public-page"
      title={translator.t('settings.public')}
      about={translator.t('settings.publicAbout')}
      notice={describeNotice(translator, notice, 'public-page')}
    >
      {isOpen && !problem && isAllowed && (
        <p>
          <a href={`${url}${name}`}>
            <bdi>{`${url}${name}`}</bdi>
          </a>
        </p>
      )}
      {isAllowed ? (
        <SettingForm frame={frame} path="account/public-page">
          <fieldset disabled={!canManage} class="stack-s">
            <legend class="unseen">{translator.t('settings.public')}</legend>
            <Switch
              id="public-open"
              name="open"
              value="on"
              defaultChecked={isOpen}
              label={translator.t('settings.public.open')}
              note={translator.t('settings.public.openNote')}
            />
            <Field
              id="public-name"
              name="name"
              label={translator.t('settings.public.name')}
              hint={translator.t('settings.public.nameHint', { url })}
              problem={problem === 'message' ? undefined : problemText}
              value={name}
              pattern="[a-z0-9\-]{3,40}"
              maxLength={40}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              dir="ltr"
              required
            />
            <TextArea
              id="public-message"
              name="message"
              label={translator.t('settings.public.message')}
              hint={translator.t('settings.public.messageHint')}
              problem={problem === 'message' ? problemText : undefined}
              maxLength={1000}
            >
              {message}
            </TextArea>
            {canManage && <SaveBar />}
          </fieldset>
        </SettingForm>
      ) : (
        <p class="quiet">{translator.t('settings.public.forbidden')}</p>
      )}
      {blocked.length > 0 && <Blocked {...props} />}
    </Setting>
  );
}

function Blocked({ frame, canManage, now, publicPage }: SettingsPublicPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      <h3>{translator.t('settings.public.blocked')}</h3>
      <SettingItems label={translator.t('settings.public.blocked')}>
        {publicPage.blocked.map(({ email, blockedAt }) => (
          <SettingItem
            key={email}
            icon="stop"
            title={<bdi>{oneLine(email)}</bdi>}
            about={fillText(translator, 'settings.public.blockedSince', { when: <Ago at={blockedAt} now={now} /> })}
            actions={
              canManage && (
                <SettingForm frame={frame} path="account/public-page/unblock">
                  <input type="hidden" name="email" value={email} />
                  <Button look="plain">
                    {translator.t('settings.public.unblock')}
                    <span class="unseen"> {oneLine(email)}</span>
                  </Button>
                </SettingForm>
              )
            }
          />
        ))}
      </SettingItems>
    </>
  );
}
