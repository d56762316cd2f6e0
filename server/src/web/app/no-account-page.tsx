import type { JSX } from 'preact';
import { isolate } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { Button } from '../shared/components/button.tsx';
import { CsrfField } from '../shared/components/csrf-field.tsx';
import { SignInFrame } from './components/sign-in-frame.tsx';

export interface NoAccountPageProps {
  readonly host: string;
  readonly csrf: string;
  readonly person: { readonly name: string; readonly email: string };
}

export function noAccountTitle(translator: ViewTranslator): string {
  return translator.t('signIn.noMembership.title');
}

/** For a person who is signed in and a member of no account. */
export function NoAccountPage({ host, csrf, person }: NoAccountPageProps): JSX.Element {
  const translator = useTranslator();
  return (
    <SignInFrame
      title={noAccountTitle(translator)}
      about={translator.t('signIn.noMembership.about', { email: isolate(person.email) })}
      host={host}
    >
      <form method="post" action="/sign-out" class="sign-in-fields">
        <CsrfField csrf={csrf} />
        <Button icon="leave">{translator.t('frame.signOut')}</Button>
      </form>
    </SignInFrame>
  );
}
