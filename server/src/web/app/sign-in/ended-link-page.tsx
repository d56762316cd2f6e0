import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { ButtonLink } from '../../shared/components/button.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

export interface EndedLinkPageProps {
  readonly host: string;
  readonly kind: 'invitation' | 'recovery';
  /** A link of which nothing is known is shown as expired. */
  readonly reason: 'expired' | 'used';
  readonly signInHref: string;
  readonly recoveryHref?: string | undefined;
}

const texts = {
  invitation: {
    expired: { title: 'signIn.ended.invitationExpired', text: 'signIn.ended.invitationExpiredText' },
    used: { title: 'signIn.ended.invitationUsed', text: 'signIn.ended.invitationUsedText' },
  },
  recovery: {
    expired: { title: 'signIn.ended.recoveryExpired', text: 'signIn.ended.recoveryExpiredText' },
    used: { title: 'signIn.ended.recoveryUsed', text: 'signIn.ended.recoveryUsedText' },
  },
} as const;

export function endedLinkTitle(
  translator: ViewTranslator,
  { kind, reason }: Pick<EndedLinkPageProps, 'kind' | 'reason'>,
): string {
  return translator.t(texts[kind][reason].title);
}

/** The page behind a mailed link that no longer works, with the way on. */
export function EndedLinkPage(props: EndedLinkPageProps): JSX.Element {
  const translator = useTranslator();
  const { kind, reason, recoveryHref } = props;
  const asksAgain = kind === 'recovery' && reason === 'expired' && recoveryHref !== undefined;
  return (
    <SignInFrame
      title={endedLinkTitle(translator, props)}
      about={translator.t(texts[kind][reason].text)}
      host={props.host}
    >
      {asksAgain && (
        <ButtonLink look="main" href={recoveryHref}>
          {translator.t('signIn.ended.again')}
        </ButtonLink>
      )}
      <ButtonLink look={asksAgain ? 'quiet' : 'main'} href={props.signInHref}>
        {translator.t('signIn.title')}
      </ButtonLink>
    </SignInFrame>
  );
}
