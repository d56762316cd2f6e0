import type { ComponentChildren, JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';

/** The head of a list of files: their number and size, and what is so for all of them. */
export function ListHead(props: { count: number; sizeBytes: number; children?: ComponentChildren }): JSX.Element {
  const translator = useTranslator();
  return (
    <div class="list-head">
      <h2>
        {translator.t('sent.count', { count: props.count })} · {translator.formatSize(props.sizeBytes)}
      </h2>
      {props.children}
    </div>
  );
}
