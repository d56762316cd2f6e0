import type { JSX } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Breakable } from '../../shared/components/breakable.tsx';
import { Button } from '../../shared/components/button.tsx';
import { Card, Fields } from '../../shared/components/card.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Disclosure } from '../../shared/components/disclosure.tsx';
import { Field } from '../../shared/components/field.tsx';
import { Message } from '../../shared/components/message.tsx';
import type { Sender } from '../../shared/components/sender.tsx';

export interface PublicPageProps {
  /** The account that gets the files. */
  readonly receiver: Sender;
  /** The text of the account's owner; may be empty. */
  readonly message: string;
  readonly operator: string;
  readonly csrf: string;
  /** Accepts `email` and `name`. */
  readonly action: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly problem?: 'email' | 'name' | undefined;
  /** Whether a mail was asked for: the page is the same if none is sent. */
  readonly requested: boolean;
}

export function publicPageTitle(
  translator: ViewTranslator,
  { receiver, requested }: Pick<PublicPageProps, 'receiver' | 'requested'>,
): string {
  if (requested) return translator.t('publicPage.requested');
  return translator.t('upload.title', { sender: isolate(receiver.name) });
}

/** The page on which anyone begins to send files to an account: it asks for the address to which it mails a link. */
export function PublicPage(props: PublicPageProps): JSX.Element {
  const translator = useTranslator();
  const { receiver, requested, problem, email = '', name = '' } = props;
  return (
    <Card
      icon={requested ? 'mail' : 'upload'}
      title={publicPageTitle(translator, props)}
      about={
        <>
          <p class="lead">
            {requested
              ? translator.t('publicPage.requestedText', { email: isolate(email) })
              : translator.t('publicPage.text')}
          </p>
          <Fields fields={[[translator.t('common.to'), <Breakable>{oneLine(receiver.address)}</Breakable>]]} />
          {!requested && <Message>{props.message}</Message>}
        </>
      }
    >
      {requested ? (
        <p class="quiet">{translator.t('publicPage.requestedHint')}</p>
      ) : (
        <form method="post" action={props.action} class="stack">
          <CsrfField csrf={props.csrf} />
          <Field
            id="email"
            name="email"
            type="email"
            label={translator.t('publicPage.email')}
            problem={problem === 'email' ? translator.t('publicPage.emailProblem') : undefined}
            autocomplete="email"
            value={email}
            maxLength={254}
            dir="ltr"
            required
          />
          <Field
            id="name"
            name="name"
            label={translator.t('publicPage.name')}
            problem={problem === 'name' ? translator.t('publicPage.nameProblem') : undefined}
            autocomplete="name"
            value={name}
            maxLength={100}
          />
          <p class="quiet">{translator.t('publicPage.notice', { receiver: isolate(receiver.name) })}</p>
          <Button look="main">{translator.t('publicPage.button')}</Button>
        </form>
      )}
      <div>
        <Disclosure title={translator.t('publicPage.who', { receiver: isolate(receiver.name) })}>
          {translator.t('publicPage.whoText', { operator: isolate(props.operator) })}
        </Disclosure>
      </div>
    </Card>
  );
}
