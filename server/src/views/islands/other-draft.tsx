import type { KnownReceiver } from '../../domain/contacts/contact-store.ts';
import { Banner } from '../components/banner.tsx';
import { ButtonLink } from '../components/button.tsx';
import type { ViewTranslator } from '../components/translator-context.ts';
import { isolate, oneLine } from '../plain.ts';
import { drawPart } from './draw-part.tsx';

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
