import type { JSX } from 'preact';
import type { Translator } from '../../present/texts/translator.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Button } from '../shared/components/button.tsx';
import { Card } from '../shared/components/card.tsx';
import { Disclosure } from '../shared/components/disclosure.tsx';
import { Field, TextArea } from '../shared/components/field.tsx';
import { ScriptData } from '../shared/components/script-data.tsx';

export interface VerifyPageProps {
  /** The policy that this server names; empty if it has no log yet. */
  readonly policy: string;
  /** The script's texts, from `verifyTexts`. */
  readonly textsJson: string;
}

export function verifyTitle(translator: ViewTranslator): string {
  return translator.t('verify.title');
}

/** Writes the texts of the page's script as JSON that can be embedded in a page. */
export function verifyTexts(translator: Translator): string {
  const { language, locale, dir } = translator;
  return JSON.stringify({ language, locale, dir, texts: translator.texts('verify.') });
}

/**
 * Verifies a receipt in the browser. Nothing leaves it, and a copy of the page works without the server, so all of its
 * script and style is in the page.
 */
export function VerifyPage({ policy, textsJson }: VerifyPageProps): JSX.Element {
  const translator = useTranslator();
  const isNamed = policy !== '';
  return (
    <Card
      icon="shield"
      wide
      title={verifyTitle(translator)}
      about={
        <>
          <p class="lead">{translator.t('verify.text')}</p>
          <p class="quiet">{translator.t('verify.private')}</p>
        </>
      }
    >
      <noscript>{translator.t('verify.noScript')}</noscript>
      <form id="verify" class="stack">
        <Field
          id="receipt"
          name="receipt"
          type="file"
          label={translator.t('verify.choose')}
          accept=".pdf,.json,application/pdf,application/json"
        />
        <TextArea
          id="trust"
          name="trust"
          label={translator.t('verify.trust')}
          hint={translator.t(isNamed ? 'verify.trustNamed' : 'verify.trustHint')}
          rows={4}
          spellcheck={false}
          autocomplete="off"
          dir="ltr"
        >
          {policy}
        </TextArea>
        <Button look="main">{translator.t('verify.button')}</Button>
      </form>
      <div id="verdict" role="status" tabIndex={-1} />
      <div>
        <Disclosure title={translator.t('verify.offline')}>{translator.t('verify.offlineText')}</Disclosure>
        <Disclosure title={translator.t('verify.key')}>{translator.t('verify.keyText')}</Disclosure>
      </div>
      <ScriptData id="verify-texts" json={textsJson} />
    </Card>
  );
}
