import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';

/** Links to the pages before and after this one; each leads from a row, so that new entries do not shift them. */
export interface Pages {
  readonly newerHref?: string | undefined;
  readonly olderHref?: string | undefined;
}

export function Pager(props: {
  pages: Pages;
  /** By name instead of by time. */
  order?: 'time' | 'name' | undefined;
  /** How many there are, where that is known. */
  about?: ComponentChildren;
}): JSX.Element | null {
  const translator = useTranslator();
  const { newerHref, olderHref } = props.pages;
  const byName = props.order === 'name';
  if (newerHref === undefined && olderHref === undefined && !props.about) return null;
  return (
    <nav class="pager" aria-label={translator.t('list.pages')}>
      <p>{props.about}</p>
      <div class="actions">
        {newerHref !== undefined && (
          <a class="button button-plain" href={newerHref} rel="prev">
            <Icon name="before" small />
            {translator.t(byName ? 'list.previous' : 'list.newer')}
          </a>
        )}
        {olderHref !== undefined && (
          <a class="button button-plain" href={olderHref} rel="next">
            {translator.t(byName ? 'list.next' : 'list.older')}
            <Icon name="after" small />
          </a>
        )}
      </div>
    </nav>
  );
}
