import type { JSX } from 'preact';
import type { SharedLinkInput } from '../../../domain/drops/shared-links.ts';
import type { SharedLinkKind } from '../../../domain/links/shared-link-rule.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { type Choice, ChoiceSegments } from './choice-segments.tsx';

/** The answer to "Who gets it", as the form has it. */
export interface SharedLinkValues {
  readonly who: 'people' | 'anybody';
  /** After how many downloads a link for anybody ends; empty: any number. */
  readonly maxDownloads: string;
}

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

/** Reads both rows of the form. A kind that is not allowed is refused when the drop is made. */
export function readSharedLink(fields: URLSearchParams): SharedLinkInput | undefined {
  if (fields.get('who') === 'anybody') {
    const max = fields.get('max_downloads')?.trim() ?? '';
    return { kind: 'anybody', maxDownloads: /^[1-9]\d{0,5}$/.test(max) ? Number(max) : null };
  }
  return fields.get('notify') === 'shared' ? { kind: 'named' satisfies SharedLinkKind, maxDownloads: null } : undefined;
}

export function readSharedLinkValues(fields: URLSearchParams): SharedLinkValues {
  return {
    who: fields.get('who') === 'anybody' ? 'anybody' : 'people',
    maxDownloads: (fields.get('max_downloads') ?? '').slice(0, 10),
  };
}
