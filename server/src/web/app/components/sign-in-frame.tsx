import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { fillText } from '../../shared/components/fill-text.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { Logo } from '../../shared/components/mark.tsx';
import { useSurroundings } from '../../shared/components/page-context.ts';
import { Contact, LanguageLinks } from '../../shared/components/page-foot.tsx';

/**
 * The frame of the pages before the app: sign-in, invitations, recovery. Beside the form it says where the reader is, so
 * that a copy of the page elsewhere can be noticed.
 */
export function SignInFrame(props: {
  title: ComponentChildren;
  about?: ComponentChildren;
  /** The host of this server, as in the address bar. */
  host: string;
  /** Tells those who were only sent a file that they need no account. */
  forReceivers?: boolean | undefined;
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
          {props.children}
        </div>
      </main>
      <aside class="sign-in-side" aria-label={translator.t('signIn.aside')}>
        <div class="sign-in-notes">
          {props.forReceivers && (
            <div class="sign-in-receivers">
              <h2>
                {translator.t('signIn.receivers')}
                <br />
                {translator.t('signIn.receiversFree')}
              </h2>
              <p class="quiet">{translator.t('signIn.receiversText')}</p>
            </div>
          )}
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
            <Contact operator={{ ...operator, supportAddress: undefined }} />
            <LanguageLinks links={languageLinks} />
          </div>
        </div>
      </aside>
    </>
  );
}
