import type { JSX } from 'preact';
import { isolate } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Banner } from '../shared/components/banner.tsx';
import { Button } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { Disclosure } from '../shared/components/disclosure.tsx';
import { Field } from '../shared/components/field.tsx';
import { fromField, type Sender } from '../shared/components/sender.tsx';
import type { LinkKind } from '../shared/gone-page.tsx';

export interface PassphrasePageProps {
  readonly kind: LinkKind;
  readonly sender: Sender;
  /** The URL that accepts the field `passphrase`. */
  readonly action: string;
  readonly problem?: 'wrong' | 'too_many_tries' | undefined;
  /** How long to wait after too many tries. */
  readonly waitMinutes?: number | undefined;
}

const opens = { download: 'passphrase.download', upload: 'passphrase.upload' } as const;

export function passphraseTitle(translator: ViewTranslator): string {
  return translator.t('passphrase.title');
}

/**
 * The page on which a person enters the passphrase that the sender has told them. The field shows what is typed: nobody
 * chose the passphrase for another purpose, and most mistakes are seen.
 */
export function PassphrasePage({ kind, sender, action, problem, waitMinutes }: PassphrasePageProps): JSX.Element {
  const translator = useTranslator();
  const isWaiting = problem === 'too_many_tries';
  return (
    <Card
      icon="lock"
      title={passphraseTitle(translator)}
      about={
        <>
          <p class="lead">{translator.t(opens[kind], { sender: isolate(sender.name) })}</p>
          <Fields fields={fromField(translator, sender)} />
        </>
      }
    >
      {isWaiting && (
        <Banner tone="bad">{translator.t('passphrase.problem.too_many_tries', { count: waitMinutes ?? 1 })}</Banner>
      )}
      <form method="post" action={action} class="stack">
        <Field
          label={translator.t('passphrase.label')}
          hint={translator.t('passphrase.hint')}
          problem={problem === 'wrong' && translator.t('passphrase.problem.wrong')}
          id="passphrase"
          name="passphrase"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={1000}
          required
          // The only action on this page.
          autofocus
          dir="auto"
        />
        <Button look="main">{translator.t('common.continue')}</Button>
      </form>
      <div>
        <Disclosure title={translator.t('passphrase.missing')}>
          {translator.t('passphrase.missingText', { sender: isolate(sender.address) })}
        </Disclosure>
      </div>
    </Card>
  );
}
