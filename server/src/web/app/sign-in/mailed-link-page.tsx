import type { JSX } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Fields } from '../../shared/components/card.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Disclosure } from '../../shared/components/disclosure.tsx';
import { Moment } from '../../shared/components/moment.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

interface MailedLink {
  readonly host: string;
  readonly csrf: string;
  readonly action: string;
  /** The name of the hidden field in which the page's script records that a person pressed the button. */
  readonly gesture: string;
  readonly expiresAt: Date;
}

export interface InvitationPageProps extends MailedLink {
  /** The person who sent it; absent if an administrator did so by a command. */
  readonly inviter?: { readonly name: string; readonly email: string } | undefined;
  /** The name of the operator of this server. */
  readonly operator: string;
  /** The account that the person will work in; without a name, it is called by its address. */
  readonly account: { readonly email: string; readonly name: string };
}

export function invitationTitle(
  translator: ViewTranslator,
  { inviter, operator }: Pick<InvitationPageProps, 'inviter' | 'operator'>,
): string {
  return inviter
    ? translator.t('signIn.invitation.titleFrom', { person: isolate(inviter.name) })
    : translator.t('signIn.invitation.title', { operator: isolate(operator) });
}

/** The first page behind an invitation. It changes nothing, because mail scanners open it too. */
export function InvitationPage(props: InvitationPageProps): JSX.Element {
  const translator = useTranslator();
  const { inviter } = props;
  const { name, email } = props.account;
  return (
    <SignInFrame
      title={invitationTitle(translator, props)}
      about={translator.t('signIn.invitation.about', { operator: isolate(props.operator) })}
      host={props.host}
    >
      <Fields
        fields={[
          ...(inviter ? [[translator.t('common.from'), oneLine(inviter.email)] as const] : []),
          [
            translator.t('signIn.invitation.account'),
            name === '' ? oneLine(email) : `${oneLine(name)} (${oneLine(email)})`,
          ],
          [translator.t('signIn.invitation.until'), <Moment at={props.expiresAt} />],
        ]}
      />
      <OpenLink {...props} label={translator.t('signIn.invitation.accept')} />
      <Disclosure title={translator.t('signIn.invitation.unknown')}>
        {translator.t('signIn.invitation.unknownText')}
      </Disclosure>
    </SignInFrame>
  );
}

export interface RecoveryLandingPageProps extends MailedLink {
  readonly email: string;
}

export function recoveryLandingTitle(translator: ViewTranslator): string {
  return translator.t('signIn.recovery.landingTitle');
}

/** The first page behind a recovery link. It changes nothing, because mail scanners open it too. */
export function RecoveryLandingPage(props: RecoveryLandingPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <SignInFrame
      title={recoveryLandingTitle(translator)}
      about={translator.t('signIn.recovery.landingAbout')}
      host={props.host}
    >
      <Fields
        fields={[
          [translator.t('signIn.email'), oneLine(props.email)],
          [translator.t('signIn.invitation.until'), <Moment at={props.expiresAt} />],
        ]}
      />
      <OpenLink {...props} label={translator.t('common.continue')} />
      <Disclosure title={translator.t('signIn.recovery.notYou')}>
        {translator.t('signIn.recovery.notYouText')}
      </Disclosure>
    </SignInFrame>
  );
}

function OpenLink({ action, csrf, gesture, label }: MailedLink & { label: string }): JSX.Element {
  return (
    <form method="post" action={action} data-gesture={gesture} class="sign-in-fields">
      <CsrfField csrf={csrf} />
      <input type="hidden" name={gesture} value="" />
      <Button look="main">{label}</Button>
    </form>
  );
}
