import type { ComponentChildren, JSX } from 'preact';
import { AppFrame, type AppFrameProps } from '../../components/app-frame.tsx';
import { PageHead, Tabs } from '../../components/page-head.tsx';
import { useTranslator, type ViewTranslator } from '../../components/translator-context.ts';
import { isolate } from '../../plain.ts';

/** The properties of the app's frame, without its content. */
export type SettingsFrameProps = Omit<AppFrameProps, 'current' | 'children'>;

export function settingsTitle(translator: ViewTranslator): string {
  return translator.t('frame.settings');
}

export function SettingsFrame(props: {
  frame: SettingsFrameProps;
  tab: 'you' | 'account';
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
            label: translator.t('settings.account', { account: isolate(account.displayName) }),
            href: `${base}settings/account`,
            current: props.tab === 'account',
          },
        ]}
      />
      <div class="settings">{props.children}</div>
    </AppFrame>
  );
}
