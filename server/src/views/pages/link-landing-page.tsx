import type { JSX } from 'preact';
import { Button } from '../components/button.tsx';
import { Card, Fields } from '../components/card.tsx';
import { useTranslator } from '../components/translator-context.ts';
import { oneLine } from '../plain.ts';
import type { Translator } from '../translator.ts';

export type LinkKind = 'download' | 'upload';

export interface LinkLandingPageProps {
  readonly kind: LinkKind;
  readonly sender: string;
  readonly action: string;
  /** The name of the hidden field in which the page's script records that a person pressed the button. */
  readonly gesture: string;
}

const texts = {
  download: {
    title: 'landing.download.title',
    text: 'landing.download.text',
    unknown: 'landing.download.unknown',
  },
  upload: { title: 'landing.upload.title', text: 'landing.upload.text', unknown: 'landing.upload.unknown' },
} as const;

export function linkLandingTitle(translator: Translator, { kind }: Pick<LinkLandingPageProps, 'kind'>): string {
  return translator.t(texts[kind].title);
}

/** The first page behind a link, before a person confirms. Mail scanners see only this. */
export function LinkLandingPage({ kind, sender, action, gesture }: LinkLandingPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <Card
      icon={kind}
      title={translator.t(texts[kind].title)}
      about={
        <>
          <p class="lead">{translator.t(texts[kind].text)}</p>
          <Fields fields={[[translator.t('common.from'), oneLine(sender)]]} />
        </>
      }
    >
      <form method="post" action={action} data-gesture={gesture}>
        <input type="hidden" name={gesture} value="" />
        <Button look="main">{translator.t('landing.open')}</Button>
      </form>
      <p class="quiet small">{translator.t('landing.why')}</p>
      <p class="quiet small">{translator.t(texts[kind].unknown)}</p>
    </Card>
  );
}
