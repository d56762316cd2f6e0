import type { JSX } from 'preact';

/** A text in which a line may also end after the @ and the dots of an address. */
export function Breakable({ children }: { children: string }): JSX.Element {
  return (
    <>
      {children.split(/(?<=@)|(?<=\S@\S*\.)(?=\S)/).map((part, index) => (
        <>
          {index > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}
