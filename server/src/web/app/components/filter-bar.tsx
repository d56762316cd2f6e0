import type { ComponentChildren, JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';
import { Icon } from '../../shared/components/icon.tsx';

export interface Segment {
  readonly label: string;
  readonly href: string;
  readonly current: boolean;
  /** How many entries it has, where that is known. */
  readonly count?: number | undefined;
}

/** A list of which one part is shown: links, so that each part has a URL. */
export function Segments({ label, segments }: { label: string; segments: readonly Segment[] }): JSX.Element {
  const translator = useTranslator();
  return (
    <nav class="segments" aria-label={label}>
      {segments.map((segment) => (
        <a key={segment.href} href={segment.href} aria-current={segment.current ? 'page' : undefined}>
          <bdi>{segment.label}</bdi>
          {segment.count !== undefined && <span class="segment-count">{translator.formatNumber(segment.count)}</span>}
        </a>
      ))}
    </nav>
  );
}

export interface FilterChoice {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** Search, parts and further choices above a list. The form needs no script: Enter searches, and so does its button. */
export function FilterBar(props: {
  action: string;
  /** The label of the field for screen readers. */
  label: string;
  /** Examples of search terms. */
  hint: string;
  query: string;
  /** Other fields of the URL that a search keeps. */
  kept?: Readonly<Record<string, string>> | undefined;
  choices?: readonly FilterChoice[] | undefined;
  children?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { choices = [], kept = {} } = props;
  return (
    <div class="filters">
      <form class="filter-form" role="search" method="get" action={props.action}>
        {Object.entries(kept).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <div class="search">
          <Icon name="search" small />
          <label class="unseen" for="q">
            {props.label}
          </label>
          <input
            id="q"
            type="search"
            name="q"
            data-key="/"
            value={oneLine(props.query)}
            placeholder={props.hint}
            maxLength={200}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <div class={choices.length > 0 ? 'filter-more' : 'unseen'}>
          {choices.map(({ name, label, value, options }) => (
            <div key={name} class="filter-choice">
              <label for={`filter-${name}`}>{label}</label>
              <select id={`filter-${name}`} name={name} data-sends>
                {options.map(([option, text]) => (
                  <option key={option} value={option} selected={option === value}>
                    {text}
                  </option>
                ))}
              </select>
            </div>
          ))}
          <Button class={choices.length > 0 ? 'filter-show' : undefined}>
            {translator.t(choices.length > 0 ? 'list.show' : 'list.search')}
          </Button>
        </div>
      </form>
      {props.children}
    </div>
  );
}
