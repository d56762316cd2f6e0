import type { ComponentChildren, JSX } from 'preact';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { AppFrame, type AppFrameProps } from '../components/app-frame.tsx';
import { PageHead, Tabs } from '../components/page-head.tsx';

/** The properties of the app's frame, without its content. */
export type SettingsFrameProps = Omit<AppFrameProps, 'current' | 'children'>;

export function settingsTitle(translator: ViewTranslator): string {
  return translator.t('frame.settings');
}

const ownerTabs = [
  ['keys', 'settings.keys'],
  ['webhooks', 'settings.webhooks'],
] as const;

export type SettingsTab = 'you' | 'account' | 'keys' | 'webhooks';

export function SettingsFrame(props: {
  frame: SettingsFrameProps;
  tab: SettingsTab;
  /** Whether the person is an owner of the account. */
  canManage: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { base, account } = props.frame;
  return (
    <AppFrame {...props.frame} current="settings">
      <PageHead title={settingsTitle(translator)} />
      <Tabs
        label={translator.t('frame.settings')}
        tabs={[
          { label: translator.t('settings.you'), href: `${base}settings`, current: props.tab === 'you' },
          {
            label: (
              <>
                <span class="on-desktop">
                  {translator.t('settings.account', { account: isolate(account.displayName) })}
                </span>
                <span class="on-phone">{translator.t('signIn.invitation.account')}</span>
              </>
            ),
            href: `${base}settings/account`,
            current: props.tab === 'account',
          },
          ...(props.canManage ? ownerTabs : []).map(([tab, text]) => ({
            label: translator.t(text),
            href: `${base}settings/${tab}`,
            current: props.tab === tab,
          })),
        ]}
      />
      {props.frame.isAgain && (
        <Banner tone="calm" announced>
          {translator.t('settings.again')}
        </Banner>
      )}
      <div class="settings">{props.children}</div>
    </AppFrame>
  );
}
