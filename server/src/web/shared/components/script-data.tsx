import type { JSX } from 'preact';

/** Data of a page for its script. */
export function ScriptData({ id, json }: { readonly id: string; readonly json: string }): JSX.Element {
  return (
    <script
      type="application/json"
      id={id}
      // Data, not a program; `<` is escaped so that no text in it can end the element.
      dangerouslySetInnerHTML={{ __html: json.replaceAll('<', String.raw`\u003c`) }}
    />
  );
}
