import type { JSX } from 'preact';
import { isolate } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Button } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { Disclosure } from '../shared/components/disclosure.tsx';
import { Moment } from '../shared/components/moment.tsx';
import { genuinePath } from '../shared/components/page-foot.tsx';
import { fromField, type Sender } from '../shared/components/sender.tsx';
import type { LinkKind } from '../shared/gone-page.tsx';

export interface LinkLandingPageProps {
  readonly kind: LinkKind;
  /** Whether the person asked for the link themselves, on the account's public page. */
  readonly isUnsolicited?: boolean | undefined;
  /** Whether there is a message and no file. */
  readonly isMessage?: boolean | undefined;
  readonly sender: Sender;
  readonly sentAt: Date;
  /** Whether it is for anybody who has it, and for how many downloads, if that is limited. */
  readonly shared?: { readonly maxDownloads: number | null } | undefined;
  /** How the code is sent that the receiver has to enter, if one is required. */
  readonly codeChannel?: 'sms' | 'mail' | undefined;
  /** Whether the receiver has to enter a passphrase. */
  readonly hasPassphrase?: boolean | undefined;
  readonly action: string;
  /** The name of the hidden field in which the page's script records that a person pressed the button. */
  readonly gesture: string;
}

const texts = {
  message: {
    title: 'download.messageHeading',
    text: 'landing.message.text',
    button: 'landing.message.button',
    unknown: 'landing.download.unknown',
  },
  download: {
    title: 'landing.download.title',
    text: 'landing.download.text',
    button: 'landing.download.button',
    unknown: 'landing.download.unknown',
  },
  upload: {
    title: 'landing.upload.title',
    text: 'landing.upload.text',
    button: 'landing.upload.button',
    unknown: 'landing.upload.unknown',
  },
} as const;

const codeTexts = { sms: 'landing.code.sms', mail: 'landing.code.mail' } as const;

const sharedTexts = { files: 'landing.shared.text', message: 'landing.shared.message' } as const;

/** Says how often a link can be used, before and after it is opened. */
export function DownloadLimit({ maxDownloads }: { readonly maxDownloads: number | null }): JSX.Element | null {
  const translator = useTranslator();
  return maxDownloads === null ? null : <p>{translator.t('landing.shared.limit', { count: maxDownloads })}</p>;
}

export function linkLandingTitle(
  translator: ViewTranslator,
  props: Pick<LinkLandingPageProps, 'kind' | 'sender' | 'isUnsolicited' | 'isMessage'>,
): string {
  const { title } = findTexts(props);
  return translator.t(props.isUnsolicited ? 'upload.title' : title, { sender: isolate(props.sender.name) });
}

function findTexts({ kind, isMessage }: Pick<LinkLandingPageProps, 'kind' | 'isMessage'>) {
  return texts[isMessage ? 'message' : kind];
}

/**
 * The first page behind a link, before a person confirms. Mail scanners, and anyone who obtained the link, see only
 * this: the sender, when the link was sent and whether it needs a code, but no files, message, receiver or reference.
 */
export function LinkLandingPage(props: LinkLandingPageProps): JSX.Element {
  const { kind, sender, sentAt, codeChannel, hasPassphrase, action, gesture, shared } = props;
  const translator = useTranslator();
  const { text, button, unknown } = findTexts(props);
  return (
    <Card
      icon={kind}
      title={linkLandingTitle(translator, props)}
      about={
        <>
          <p class="lead">{translator.t(shared ? sharedTexts[props.isMessage ? 'message' : 'files'] : text)}</p>
          {shared && <DownloadLimit {...shared} />}
          <Fields fields={[...fromField(translator, sender), [translator.t('sent.at'), <Moment at={sentAt} />]]} />
        </>
      }
    >
      <form method="post" action={action} data-gesture={gesture} class="stack">
        <input type="hidden" name={gesture} value="" />
        {hasPassphrase && <p class="quiet">{translator.t('landing.passphrase')}</p>}
        {codeChannel && <p class="quiet">{translator.t(codeTexts[codeChannel])}</p>}
        <Button look="main">{translator.t(button)}</Button>
      </form>
      <div>
        <Disclosure title={translator.t('landing.why')}>{translator.t('landing.whyText')}</Disclosure>
        <Disclosure title={translator.t('landing.unknown')}>
          {translator.t(unknown)} <a href={genuinePath}>{translator.t('landing.check')}</a>
        </Disclosure>
      </div>
    </Card>
  );
}
