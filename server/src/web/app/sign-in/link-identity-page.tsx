import type { JSX } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { Fields } from '../../shared/components/card.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

interface AtProvider {
  readonly host: string;
  readonly provider: string;
}

export interface LinkIdentityPageProps extends AtProvider {
  readonly csrf: string;
  /** Accepts the form's token, and nothing else. */
  readonly action: string;
  readonly cancelHref: string;
  /** The provider's name for the person; empty if it does not say. */
  readonly label: string;
  /** The provider's own name for the person. */
  readonly subject: string;
  /** The address of the person who is asked. */
  readonly email: string;
}

export function linkIdentityTitle(translator: ViewTranslator, { provider }: Pick<AtProvider, 'provider'>): string {
  return translator.t('signIn.link.title', { provider: isolate(provider) });
}

/** Asks a person whether the identity that a provider has recognised becomes one of their sign-in methods. */
export function LinkIdentityPage(props: LinkIdentityPageProps): JSX.Element {
  const translator = useTranslator();
  const about = { provider: isolate(props.provider) };
  return (
    <SignInFrame
      title={linkIdentityTitle(translator, props)}
      about={translator.t('signIn.link.about', about)}
      host={props.host}
    >
      <Fields
        fields={[
          [
            translator.t('signIn.link.identity', about),
            <>
              {props.label === '' ? translator.t('signIn.link.unnamed') : <bdi>{oneLine(props.label)}</bdi>}
              {props.label !== props.subject && (
                <>
                  <br />
                  <bdi class="small quiet">{oneLine(props.subject)}</bdi>
                </>
              )}
            </>,
          ],
          [translator.t('signIn.link.person'), oneLine(props.email)],
        ]}
      />
      <form method="post" action={props.action} class="sign-in-fields">
        <CsrfField csrf={props.csrf} />
        <Button look="main">{translator.t('signIn.link.button')}</Button>
      </form>
      <p class="small quiet">{translator.t('signIn.link.notYours', about)}</p>
      <p class="small">
        <a href={props.cancelHref}>{translator.t('signIn.cancel')}</a>
      </p>
    </SignInFrame>
  );
}

export function leaveTitle(translator: ViewTranslator, { provider }: Pick<AtProvider, 'provider'>): string {
  return translator.t('signIn.leave.title', { provider: isolate(provider) });
}

/**
 * Leads on to a provider after a form: the content policy lets no form lead to another origin. The browser goes on by
 * itself, and shows the link if it does not.
 */
export function LeavePage(
  props: AtProvider & { readonly href: string; readonly isSignedOut?: boolean | undefined },
): JSX.Element {
  const translator = useTranslator();
  const about = translator.t(props.isSignedOut ? 'signIn.notice.signed_out' : 'signIn.leave.about');
  return (
    <SignInFrame title={leaveTitle(translator, props)} about={about} host={props.host}>
      <ButtonLink href={props.href} icon="globe" look="main">
        {translator.t('signIn.leave.button', { provider: isolate(props.provider) })}
      </ButtonLink>
    </SignInFrame>
  );
}
