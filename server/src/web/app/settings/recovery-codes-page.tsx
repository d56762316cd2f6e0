import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CopyButton } from '../components/copy-field.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';

export interface RecoveryCodesPageProps {
  readonly host: string;
  readonly codes: readonly string[];
  /** The codes as a text file. */
  readonly downloadHref: string;
  readonly continueHref: string;
}

export function recoveryCodesTitle(translator: ViewTranslator): string {
  return translator.t('signIn.codes.title');
}

/** The only time that the recovery codes are shown: afterwards the server knows only their digests. */
export function RecoveryCodesPage(props: RecoveryCodesPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <SignInFrame title={recoveryCodesTitle(translator)} about={translator.t('signIn.codes.about')} host={props.host}>
      <Banner tone="warn">{translator.t('signIn.codes.once')}</Banner>
      <ol class="recovery-codes" dir="ltr">
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="actions">
        <ButtonLink href={props.downloadHref} icon="download" download>
          {translator.t('signIn.codes.download')}
        </ButtonLink>
        <CopyButton value={props.codes.join('\n')} />
        <Button type="button" icon="print" data-print>
          {translator.t('signIn.codes.print')}
        </Button>
      </div>
      <ButtonLink look="main" href={props.continueHref}>
        {translator.t('signIn.codes.saved')}
      </ButtonLink>
    </SignInFrame>
  );
}
