import type { ComponentChildren, JSX } from 'preact';
import type { Operator } from '../../../present/operator.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Icon, type IconName } from '../../shared/components/icon.tsx';
import { Logo } from '../../shared/components/mark.tsx';
import { Dialog } from '../../shared/components/overlay.tsx';
import { Avatar } from './avatar.tsx';
import { Toasts } from './toast.tsx';

export type Screen = 'send' | 'sent' | 'inbox' | 'requests' | 'contacts' | 'settings' | 'about';

export interface FrameAccount {
  readonly email: string;
  readonly displayName: string;
  /** Whether it has members besides the person; it is then drawn as a square. */
  readonly shared?: boolean | undefined;
}

export interface AppFrameProps {
  readonly operator: Operator;
  /** The person who is signed in. */
  readonly person: {
    readonly name: string;
    readonly email: string;
    /** Whether single keys are shortcuts. */
    readonly hasShortcuts: boolean;
  };
  /** Whether the person comes back from a sign-in that a form asked for. */
  readonly isAgain?: boolean | undefined;
  /** The account in which the person works. */
  readonly account: FrameAccount;
  /** The accounts among which the person can choose, with the current one. */
  readonly accounts: readonly (FrameAccount & { readonly href: string })[];
  readonly current: Screen;
  /** How many entries of the inbox are unread. */
  readonly unread: number;
  readonly csrf: string;
  /** The path of the account, such as `/orders@example.org/`. */
  readonly base: string;
  /** The stream of the account's events from when the page was made; without it, the page is not live. */
  readonly events?: string | undefined;
  /** Results of the last action. */
  readonly toasts?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Without Send, which is the main action, and Settings, which are apart. */
const screens: readonly (readonly [Screen, path: string, text: string, IconName])[] = [
  ['sent', 'sent', 'frame.sent', 'sent'],
  ['inbox', 'inbox', 'frame.inbox', 'inbox'],
  ['requests', 'requests', 'frame.requests', 'request'],
  ['contacts', 'contacts', 'frame.contacts', 'people'],
];

/**
 * The frame of every screen of the app: a rail on a desktop, and on a phone a bar at the top and another at the bottom.
 * The markup is the same for both.
 */
export function AppFrame(props: AppFrameProps): JSX.Element {
  const translator = useTranslator();
  const { base, current, unread } = props;
  const { hasShortcuts } = props.person;
  const mark = (screen: Screen) => (screen === current ? ('page' as const) : undefined);
  return (
    <>
      <a class="skip" href="#main">
        {translator.t('frame.skip')}
      </a>
      <header class="rail" data-shortcuts={hasShortcuts ? 'on' : 'off'}>
        <a class="brand" href={base}>
          <Logo />
          <span class="brand-name">{props.operator.name}</span>
        </a>
        <AccountMenu {...props} />
        <nav class="nav" aria-label={translator.t('frame.navigation')}>
          <a class="nav-send" href={base} aria-current={mark('send')} {...toKey('c', hasShortcuts)}>
            <Icon name="send" />
            <span>{translator.t('frame.send')}</span>
            {hasShortcuts && (
              <kbd class="nav-key" aria-hidden="true">
                C
              </kbd>
            )}
          </a>
          {screens.map(([screen, path, text, icon]) => (
            <a key={screen} href={`${base}${path}`} aria-current={mark(screen)}>
              <Icon name={icon} />
              <span>{translator.t(text)}</span>
              {screen === 'inbox' && (
                <span id="unread" class="live" data-live="inbox.">
                  {unread > 0 && <Unread count={unread} />}
                </span>
              )}
            </a>
          ))}
        </nav>
        <div class="rail-foot">
          <a href={`${base}settings`} aria-current={mark('settings')}>
            <Icon name="settings" />
            {translator.t('frame.settings')}
          </a>
          <About base={base} isCurrent={current === 'about'} />
          <button type="button" command="show-modal" commandfor={shortcutsId} {...toKey('?', hasShortcuts)}>
            <Icon name="keyboard" />
            {translator.t('shortcuts.title')}
          </button>
        </div>
      </header>
      <main id="main" class="app-main" tabIndex={-1} data-events={props.events}>
        {/* The composer says it itself, because there nobody has to wait with sending. */}
        {current !== 'send' && (
          <div class="offline" data-shown-offline hidden>
            <Banner tone="warn">{translator.t('frame.offline')}</Banner>
          </div>
        )}
        <div class="offline" data-shown-ended hidden>
          {/* This page again: sign-in leads back to it. */}
          <Banner tone="warn" action={<ButtonLink href="">{translator.t('frame.signInAgain')}</ButtonLink>}>
            {translator.t('frame.ended')}
          </Banner>
        </div>
        {props.children}
      </main>
      {/* A script writes into it what a screen reader should announce. */}
      <p
        class="unseen"
        role="status"
        data-live
        data-received={translator.t('frame.received')}
        data-changed={translator.t('frame.changed')}
      />
      <Shortcuts base={base} hasShortcuts={hasShortcuts} />
      <Toasts>{props.toasts}</Toasts>
    </>
  );
}

function Unread({ count }: { count: number }): JSX.Element {
  const translator = useTranslator();
  return (
    <span class="count" data-unread>
      <span aria-hidden="true">{count > 99 ? '99+' : translator.formatNumber(count)}</span>
      <span class="unseen">{translator.t('frame.unread', { count })}</span>
    </span>
  );
}

/** A list of links, so that choosing an account needs no script. */
function AccountMenu({ person, account, accounts, base, csrf, current }: AppFrameProps): JSX.Element {
  const translator = useTranslator();
  return (
    <details class="account-menu" data-menu>
      <summary class="switcher">
        <Avatar name={account.displayName} shared={account.shared ?? false} />
        <span class="switcher-text">
          <span class="unseen">{translator.t('frame.account')} </span>
          <bdi class="switcher-name">{oneLine(account.displayName)}</bdi>
          <bdi class="switcher-address">{oneLine(account.email)}</bdi>
        </span>
        <Icon name="choose" small />
      </summary>
      <div class="menu">
        {accounts.length > 1 && (
          <>
            <p>{translator.t('frame.workIn')}</p>
            <ul>
              {accounts.map((each) => (
                <li key={each.href}>
                  <a href={each.href} aria-current={each.email === account.email ? 'true' : undefined}>
                    <Avatar name={each.displayName} shared={each.shared ?? false} small />
                    <span class="menu-text">
                      <bdi>{oneLine(each.displayName)}</bdi>
                      <bdi class="menu-note">{oneLine(each.email)}</bdi>
                    </span>
                    {each.email === account.email && <Icon name="check" />}
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
        <p>
          {translator.t('frame.signedInAs')} <bdi>{oneLine(person.name || person.email)}</bdi>
        </p>
        <ul>
          {/* On a phone the rail's lower end has no room. */}
          <li class="menu-phone">
            <a href={`${base}settings`} aria-current={current === 'settings' ? 'page' : undefined}>
              <Icon name="settings" />
              {translator.t('frame.settings')}
            </a>
          </li>
          <li class="menu-phone">
            <About base={base} isCurrent={current === 'about'} />
          </li>
          <li>
            <form method="post" action="/sign-out">
              <CsrfField csrf={csrf} />
              <button type="submit">
                <Icon name="leave" />
                {translator.t('frame.signOut')}
              </button>
            </form>
          </li>
        </ul>
      </div>
    </details>
  );
}

function About({ base, isCurrent }: { base: string; isCurrent: boolean }): JSX.Element {
  const translator = useTranslator();
  return (
    <a href={`${base}about`} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name="question" />
      {translator.t('home.link')}
    </a>
  );
}

/** The id of the dialog, for the button that opens it. */
export const shortcutsId = 'shortcuts';

const keys = [
  ['c', 'shortcuts.send'],
  ['r', 'requests.ask'],
  ['/', 'shortcuts.search'],
  ['j', 'shortcuts.next'],
  ['k', 'shortcuts.previous'],
  ['o', 'shortcuts.open'],
  ['?', 'shortcuts.help'],
] as const;

/** Names the key that presses an element, for the script and for screen readers. */
function toKey(key: string, hasShortcuts: boolean) {
  return hasShortcuts ? { 'data-key': key, 'aria-keyshortcuts': key } : {};
}

/** The keys of the app. Asking for files has no link of its own in the frame, so the key presses the one here. */
export function Shortcuts({ base, hasShortcuts }: { base: string; hasShortcuts: boolean }): JSX.Element {
  const translator = useTranslator();
  return (
    <Dialog id={shortcutsId} title={translator.t('shortcuts.title')}>
      <dl class="shortcuts">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>
              {key === 'r' ? (
                <a href={`${base}requests/new`} {...toKey('r', hasShortcuts)}>
                  {translator.t(text)}
                </a>
              ) : (
                translator.t(text)
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{translator.t(hasShortcuts ? 'shortcuts.about' : 'shortcuts.off')}</p>
      <ButtonLink href={`${base}settings#keyboard`}>
        {translator.t(hasShortcuts ? 'shortcuts.switchOff' : 'shortcuts.switchOn')}
      </ButtonLink>
    </Dialog>
  );
}
