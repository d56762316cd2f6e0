import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Card } from '../shared/components/card.tsx';
import { WholeLinkForm } from '../shared/components/whole-link.tsx';

export function wholeLinkTitle(translator: ViewTranslator): string {
  return translator.t('gone.whole.title');
}

/** The field alone, for a link that could not be read, and for people who come to this address by themselves. */
export function WholeLinkPage({ isForeign, publicUrl }: { isForeign: boolean; publicUrl: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <Card icon="link" title={wholeLinkTitle(translator)} about={<p class="lead">{translator.t('gone.whole.about')}</p>}>
      <WholeLinkForm isForeign={isForeign} publicUrl={publicUrl} />
    </Card>
  );
}
