import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon } from '../../shared/components/icon.tsx';

/** The list that a page belongs to, and the page's own name. */
export function Crumbs(props: { label: string; href: string; children: ComponentChildren }): JSX.Element {
  const translator = useTranslator();
  return (
    <nav class="crumbs" aria-label={translator.t('list.crumbs')}>
      <ol>
        <li>
          <a href={props.href}>
            <Icon name="before" small />
            {props.label}
          </a>
        </li>
        <li aria-current="page">{props.children}</li>
      </ol>
    </nav>
  );
}
