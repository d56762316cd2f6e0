import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { type Choice, ChoiceSegments } from './choice-segments.tsx';
import type { SharedLinkValues } from './shared-link-values.ts';

/** "Who gets it": people, or anybody with the link. The rest of the form is about people only in the first case. */
export function WhoChoice({ who, maxDownloads, labelledBy }: SharedLinkValues & { labelledBy: string }): JSX.Element {
  const translator = useTranslator();
  return (
    <ChoiceSegments
      name="who"
      labelledBy={labelledBy}
      value={who}
      choices={[
        { value: 'people', label: translator.t('sharedLink.who.people') },
        {
          value: 'anybody',
          label: translator.t('sharedLink.somebody'),
          hint: (
            <>
              <p>{translator.t('sharedLink.anybodyNote')}</p>
              <label class="composer-date">
                <span>{translator.t('sharedLink.max')}</span>
                <input type="number" name="max_downloads" min="1" max="1000000" value={maxDownloads} />
              </label>
              <p>{translator.t('sharedLink.maxNote')}</p>
            </>
          ),
        },
      ]}
    />
  );
}

/** "They get": one link for all, besides a mail or a link each. */
export function toNamedChoice(translator: ViewTranslator): Choice {
  return { value: 'shared', label: translator.t('sharedLink.forAll'), hint: translator.t('sharedLink.namedNote') };
}
