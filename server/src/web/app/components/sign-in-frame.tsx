import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { fillText } from '../../shared/components/fill-text.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { Logo } from '../../shared/components/mark.tsx';
import { useSurroundings } from '../../shared/components/page-context.ts';
import { Contact, genuinePath, LanguageLinks } from '../../shared/components/page-foot.tsx';
import { wholeLinkPath } from '../../shared/components/whole-link.tsx';

/**
 * The frame of the pages before the app: sign-in, invitations, recovery. Beside the form it says where the reader is, so
 * that a copy of the page elsewhere can be noticed.
 */
export function SignInFrame(props: {
  title: ComponentChildren;
  about?: ComponentChildren;
  /** The host of this server, as in the address bar. */
  host: string;
  /** Tells those who were only sent a file that they need no account, and where mails come from. */
  forReceivers?: { readonly mailFrom: string } | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { operator, languageLinks } = useSurroundings();
  return (
    <>
      <main class="sign-in-main">
        <div class="sign-in-form">
          <a class="brand" href="/">
            <Logo />
            <span>{operator.name}</span>
          </a>
          <div class="sign-in-head">
            <h1 tabIndex={-1}>{props.title}</h1>
            {props.about && <p class="quiet">{props.about}</p>}
          </div>
          {props.forReceivers && (
            <a class="door-hint" href="#sent-a-file">
              <Icon name="mail" small />
              <span>
                {translator.t('signIn.receivers')} <b>{translator.t('signIn.doorFree')}</b>
              </span>
              <Icon name="down" small />
            </a>
          )}
          {props.children}
        </div>
      </main>
      <aside class="sign-in-side" aria-label={translator.t('signIn.aside')}>
        <div class="sign-in-notes">
          {props.forReceivers && (
            <div class="sign-in-receivers" id="sent-a-file" tabIndex={-1}>
              <h2>
                {translator.t('signIn.receivers')}
                <br />
                {translator.t('signIn.receiversFree')}
              </h2>
              <p class="quiet">{translator.t('signIn.receiversText')}</p>
            </div>
          )}
          {props.forReceivers && <Doors {...props.forReceivers} />}
          <ul class="sign-in-facts">
            <li>
              <Icon name="lock" small />
              <span>
                {fillText(translator, 'signIn.host', {
                  host: <strong dir="ltr">{props.host}</strong>,
                  operator: <bdi>{operator.name}</bdi>,
                })}
              </span>
            </li>
            {operator.supportAddress !== undefined && (
              <li>
                <Icon name="question" small />
                <span>
                  {translator.t('signIn.trouble')}{' '}
                  <a href={`mailto:${operator.supportAddress}`}>{operator.supportAddress}</a>
                </span>
              </li>
            )}
          </ul>
          <div class="foot sign-in-foot">
            <Contact
              operator={{ ...operator, supportAddress: undefined }}
              forPrograms={props.forReceivers !== undefined}
            />
            <LanguageLinks links={languageLinks} />
          </div>
        </div>
      </aside>
    </>
  );
}

/** Ways on for people who were sent something: without an account, and without learning here what was sent to whom. */
function Doors({ mailFrom }: { mailFrom: string }): JSX.Element {
  const translator = useTranslator();
  const doors = [
    ['link', wholeLinkPath, 'signIn.brokenLink', 'signIn.brokenLinkNote'],
    ['shield', genuinePath, 'signIn.genuine', 'signIn.genuineNote'],
  ] as const;
  return (
    <ul class="doors">
      <li>
        <details>
          <summary>
            <Icon name="search" />
            <span>
              <b>{translator.t('signIn.lostMail')}</b>
              <span class="quiet">{translator.t('signIn.lostMailNote')}</span>
            </span>
            <Icon name="down" small />
          </summary>
          <div class="door-text">
            <p>{fillText(translator, 'signIn.lostMailFrom', { address: <strong dir="ltr">{mailFrom}</strong> })}</p>
            <p>{translator.t('signIn.lostMailAsk')}</p>
          </div>
        </details>
      </li>
      {doors.map(([icon, href, title, note]) => (
        <li key={href}>
          <a href={href}>
            <Icon name={icon} />
            <span>
              <b>{translator.t(title)}</b>
              <span class="quiet">{translator.t(note)}</span>
            </span>
            <Icon name="after" small />
          </a>
        </li>
      ))}
    </ul>
  );
}
