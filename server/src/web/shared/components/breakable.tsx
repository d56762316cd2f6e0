import type { JSX } from 'preact';

/** The address in a text, without the punctuation around it. */
const addresses = /([^\s"“”„«»()\u2066-\u2069]+@[^\s"“”„«»()?!,;:\u2066-\u2069]+)/;

/** A heading. An address that does not fit into the rest of its line moves to the next one as a whole, if it fits there. */
export function Heading({ children }: { children: string }): JSX.Element {
  return (
    <>
      {children.split(addresses).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <span key={index} class="whole">
            <Breakable>{part}</Breakable>
          </span>
        ),
      )}
    </>
  );
}

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
