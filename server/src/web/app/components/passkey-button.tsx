import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Icon } from '../../shared/components/icon.tsx';

/** The addresses between which the script `passkey.ts` goes back and forth. Both accept JSON by POST. */
export interface PasskeyRoutes {
  /** Returns the options for the browser: those of `generateRegistrationOptions` or `generateAuthenticationOptions`. */
  readonly optionsHref: string;
  /**
   * Accepts `{ response, ...fields }`, where `response` is from the browser and `fields` are those of the form around the
   * button, and `next`. Returns `{ location }`, the page to go to, or with an error status `{ message }`, the reason in
   * the reader's language.
   */
  readonly resultHref: string;
}

const texts = {
  'sign-in': { button: 'signIn.passkey.button', none: 'signIn.passkey.none' },
  register: { button: 'signIn.passkey.create', none: 'signIn.passkey.exists' },
} as const;

/**
 * Signs in with a passkey, or creates one. Only a script can do that: without one, the button is not shown, and the other
 * methods on the page remain.
 */
export function PasskeyButton(
  props: PasskeyRoutes & {
    does: keyof typeof texts;
    csrf: string;
    /** Where to go after sign-in. */
    next?: string | undefined;
    look?: 'main' | 'quiet' | undefined;
    /** Whether the browser offers passkeys in the page's field for the address, too. */
    autofill?: boolean | undefined;
    label?: string | undefined;
  },
): JSX.Element {
  const translator = useTranslator();
  const { button, none } = texts[props.does];
  return (
    <div
      class="passkey"
      data-passkey={props.does}
      data-options={props.optionsHref}
      data-result={props.resultHref}
      data-csrf={props.csrf}
      data-next={props.next}
      data-autofill={props.autofill ? '' : undefined}
      data-cancelled={translator.t('signIn.passkey.cancelled')}
      data-none={translator.t(none)}
      data-failed={translator.t('signIn.passkey.failed')}
      data-offline={translator.t('signIn.passkey.offline')}
      data-unsupported={translator.t('signIn.passkey.unsupported')}
    >
      <Button type="button" look={props.look ?? 'main'} icon="passkey">
        {props.label ?? translator.t(button)}
      </Button>
      {/* On the page before the message, because a screen reader announces what is added to it. */}
      <div role="alert">
        <p class="field-problem" hidden>
          <Icon name="alert" small />
          <span data-says />
        </p>
      </div>
    </div>
  );
}
