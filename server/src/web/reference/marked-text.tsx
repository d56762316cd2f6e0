import type { JSX } from 'preact';

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Shows `code`, **strong** and [links](/docs) as in Markdown. */
export function MarkedText({ text }: { readonly text: string }): JSX.Element {
  const parts: (JSX.Element | string)[] = [];
  let end = 0;
  for (const { 0: all, 1: code, 2: strong, 3: label = '', 4: href = '', index } of text.matchAll(marks)) {
    parts.push(text.slice(end, index));
    end = index + all.length;
    if (code !== undefined) parts.push(<code key={index}>{code}</code>);
    else if (strong !== undefined) parts.push(<strong key={index}>{strong}</strong>);
    else {
      parts.push(
        <a key={index} href={href}>
          <MarkedText text={label} />
        </a>,
      );
    }
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  );
}
