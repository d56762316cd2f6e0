import type { KnownReceiver } from '../../../../domain/contacts/contact-store.ts';
import { isolate, oneLine } from '../../../../present/texts/plain.ts';
import type { ViewTranslator } from '../../../../present/texts/translator-context.ts';
import { Banner } from '../../../shared/components/banner.tsx';
import { ButtonLink } from '../../../shared/components/button.tsx';
import { drawPart } from '../../islands/draw-part.tsx';

const shownNames = 3;

/** Another draft, for a page that took up none. */
export interface OtherDraft {
  /** The fields, as the form writes them. */
  readonly written: string;
  /** The page that begins with it. */
  readonly href: string;
  /** Called before that page is opened. */
  onOpen(): void;
}

export function drawOtherDraft(
  translator: ViewTranslator,
  { href, onOpen }: OtherDraft,
  receivers: readonly KnownReceiver[],
): void {
  const names = receivers.slice(0, shownNames).map(({ name, email }) => isolate(oneLine(name) || oneLine(email)));
  if (receivers.length > shownNames) names.push('…');
  drawPart(
    translator,
    <Banner
      tone="calm"
      action={
        <ButtonLink look="plain" href={href} onClick={onOpen}>
          {translator.t('composer.openDraft')}
        </ButtonLink>
      }
    >
      {names.length > 0
        ? translator.t('composer.otherDraftFor', { names: names.join(', ') })
        : translator.t('composer.otherDraft')}
    </Banner>,
    document.getElementById('other-draft'),
  );
}
