import type { ComponentChildren, JSX } from 'preact';
import { AppFrame, type AppFrameProps } from '../views/components/app-frame.tsx';
import { Button } from '../views/components/button.tsx';
import { EmptyState } from '../views/components/empty-state.tsx';
import { PageHead } from '../views/components/page-head.tsx';
import { plainOperator } from '../views/operator.ts';
import type { Translator } from '../views/translator.ts';
import type { Foreign, PageState } from './view-states.tsx';

const maya = { name: 'Maya Lindqvist', email: 'maya.lindqvist@acme.example' };
const own = { email: maya.email, displayName: maya.name, href: '/maya.lindqvist@acme.example/' };
const orders = {
  email: 'orders@acme.example',
  displayName: 'Plant 2 Orders',
  href: '/orders@acme.example/',
  shared: true,
};

/** A screen of the app around some content, for the states of this and other screens. */
export function ExampleFrame(props: Partial<AppFrameProps> & { children: ComponentChildren }): JSX.Element {
  return (
    <AppFrame
      operator={plainOperator}
      person={maya}
      account={own}
      accounts={[own, orders]}
      current="settings"
      unread={3}
      csrf="a1b2c3"
      base={own.href}
      {...props}
    />
  );
}

/** The frame of the app, sign-in and settings in every state. */
export function signInStates(translator: Translator, foreign: Foreign): Record<string, PageState> {
  const frame = (props: Partial<AppFrameProps>): PageState => ({
    title: translator.t('frame.inbox'),
    layout: 'app',
    script: 'frame',
    page: (
      <ExampleFrame current="inbox" {...props}>
        <PageHead
          title={translator.t('frame.inbox')}
          about={maya.email}
          actions={<Button icon="download">{translator.t('action.close')}</Button>}
        />
        <EmptyState icon="inbox" title={translator.t('frame.inbox')}>
          {translator.t('frame.offline')}
        </EmptyState>
      </ExampleFrame>
    ),
  });
  const strange = { email: foreign.sender, displayName: foreign.senderName, href: '/strange/', shared: true };
  return {
    'frame-inbox': frame({}),
    'frame-send': frame({ current: 'send', unread: 1200 }),
    'frame-settings': frame({ current: 'settings', unread: 0, account: orders, base: orders.href }),
    'frame-one-account': frame({ accounts: [own] }),
    'frame-foreign': frame({ account: strange, accounts: [own, orders, strange] }),
  };
}
