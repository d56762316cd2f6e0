import type { JSX } from 'preact';
import type { KnownReceiver } from '../../../domain/contacts/contact-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';
import { Avatar } from '../components/avatar.tsx';
import { namePerson } from '../components/person.tsx';
import { phoneFields } from './composer-values.ts';

/** A form has at most 200 parts. Those who come later have a number already, or get their code by mail. */
export const maxPhoneRows = 80;

export interface PhoneRowsProps {
  readonly receivers: readonly KnownReceiver[];
  readonly phones: ReadonlyMap<string, string>;
  readonly byMail: ReadonlySet<string>;
  /** Whether the account leaves the choice between SMS and mail. */
  readonly canChooseMail: boolean;
  readonly callingCode: string | undefined;
  /** The faults by address. */
  readonly problems: ReadonlyMap<string, string>;
}

/** How each receiver gets their code, where codes come by SMS: the number that is missing, or a mail instead. */
export function PhoneRows(props: PhoneRowsProps): JSX.Element | null {
  const translator = useTranslator();
  const { receivers, callingCode } = props;
  if (receivers.length === 0) return null;
  const shown = listPhoneRows(receivers);
  const hidden = receivers.filter((receiver) => !receiver.hasPhone && !shown.includes(receiver));
  return (
    <>
      <ul class="phone-rows">
        {shown.map((receiver) => (
          <PhoneRow key={receiver.email} {...props} receiver={receiver} />
        ))}
      </ul>
      {hidden.length > 0 && props.canChooseMail && (
        <p class="quiet small">
          {translator.t('composer.phone.rest', { count: hidden.length })}
          <input type="hidden" name="code_rest" value="mail" />
        </p>
      )}
      <p class="quiet small">
        {callingCode === undefined
          ? translator.t('composer.phone.noCountry')
          : translator.t('composer.phone.country', { code: `+${callingCode}` })}
      </p>
    </>
  );
}

/** Those without a number come first, because they are what the sender has to look at. */
export function listPhoneRows(receivers: readonly KnownReceiver[]): readonly KnownReceiver[] {
  return [...receivers.filter(({ hasPhone }) => !hasPhone), ...receivers.filter(({ hasPhone }) => hasPhone)].slice(
    0,
    maxPhoneRows,
  );
}

function PhoneRow(props: PhoneRowsProps & { receiver: KnownReceiver }): JSX.Element {
  const translator = useTranslator();
  const { receiver, canChooseMail } = props;
  const { email, hasPhone } = receiver;
  const fields = phoneFields(email);
  const name = namePerson(receiver);
  const isByMail = canChooseMail && props.byMail.has(email);
  const problem = isByMail ? undefined : props.problems.get(email);
  return (
    <li class="phone-row">
      <div class="phone-person">
        <Avatar name={name} />
        <div class="phone-name">
          <b>
            <bdi>{name}</bdi>
          </b>
          {name !== oneLine(email) && (
            <span class="quiet small">
              <bdi>{oneLine(email)}</bdi>
            </span>
          )}
        </div>
        {canChooseMail && (
          <div
            class="segments"
            role="radiogroup"
            aria-label={translator.t('composer.phone.how', { name: isolate(name) })}
          >
            {(['sms', 'mail'] as const).map((way) => (
              <label key={way}>
                <input type="radio" name={fields.code} value={way} checked={(way === 'mail') === isByMail} />
                {translator.t(way === 'sms' ? 'composer.phone.sms' : 'composer.phone.mail')}
              </label>
            ))}
          </div>
        )}
      </div>
      {hasPhone ? (
        <p class="phone-known quiet small">{translator.t('composer.phone.known')}</p>
      ) : (
        <div class="field phone-field">
          <label for={fields.phone}>
            {translator.t('composer.phone.label')}
            <span class="unseen"> {oneLine(name)}</span>
          </label>
          <input
            id={fields.phone}
            name={fields.phone}
            type="text"
            inputmode="tel"
            autocomplete="off"
            maxLength={40}
            placeholder={props.callingCode === '46' ? '070 123 45 67' : '+46 70 123 45 67'}
            value={props.phones.get(email) ?? ''}
            aria-invalid={problem ? 'true' : undefined}
            aria-describedby={problem ? `${fields.phone}-text` : undefined}
          />
          {problem && (
            <p class="field-problem" id={`${fields.phone}-text`}>
              <Icon name="alert" small />
              <span>{problem}</span>
            </p>
          )}
        </div>
      )}
    </li>
  );
}
