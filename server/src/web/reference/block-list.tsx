import type { JSX } from 'preact';
import type { ReferenceBlock, ReferenceField, ReferenceLink, ReferenceProblem } from './blocks.ts';
import { MarkedText } from './marked-text.tsx';

export function BlockList({ blocks }: { readonly blocks: readonly ReferenceBlock[] }): JSX.Element {
  return (
    <>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { readonly block: ReferenceBlock }): JSX.Element {
  const render = renderers[block.kind] as (one: ReferenceBlock) => JSX.Element;
  return render(block);
}

const renderers: {
  readonly [Kind in ReferenceBlock['kind']]: (block: Extract<ReferenceBlock, { kind: Kind }>) => JSX.Element;
} = {
  paragraph: ({ text, quiet }) => (
    <p class={quiet ? 'quiet small' : undefined}>
      <MarkedText text={text} />
    </p>
  ),
  heading({ level, id, text }) {
    const Heading = `h${level}` as const;
    return (
      <Heading id={id}>
        <MarkedText text={text} />
      </Heading>
    );
  },
  list({ ordered, items }) {
    const List = ordered ? 'ol' : 'ul';
    return (
      <List class="reference-points">
        {items.map((item) => (
          <li key={item}>
            <MarkedText text={item} />
          </li>
        ))}
      </List>
    );
  },
  table: (table) => <TextTable {...table} />,
  code: ({ text }) => <CodeText label="Example" text={text} />,
  fields: ({ fields }) => <FieldList fields={fields} />,
  problems: ({ problems }) => <ProblemList problems={problems} />,
  links: ({ links }) => <LinkList links={links} />,
  folded: ({ summary, blocks }) => (
    <details class="reference-fold">
      <summary>{summary}</summary>
      <BlockList blocks={blocks} />
    </details>
  ),
};

/** Long lines scroll, also by keyboard. */
export function CodeText({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <pre class="reference-code" tabIndex={0} role="group" aria-label={label}>
      <code>{text}</code>
    </pre>
  );
}

function TextTable(props: { head: readonly string[]; rows: readonly (readonly string[])[] }): JSX.Element {
  return (
    <table class="reference-table">
      <thead>
        <tr>
          {props.head.map((text, index) => (
            <th key={index} scope="col">
              {text === '' ? <span class="unseen">Meaning</span> : <MarkedText text={text} />}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row, index) => (
          <tr key={index}>
            {row.map((text, column) => (
              <td key={column} data-label={props.head[column]?.replaceAll('`', '')}>
                <MarkedText text={text} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function FieldList({ fields }: { readonly fields: readonly ReferenceField[] }): JSX.Element {
  return (
    <dl class="reference-fields">
      {fields.map((field) => (
        <div key={field.name}>
          <dt>
            <code>{field.name}</code>
            <span class="reference-type">
              <MarkedText text={field.type} />
            </span>
            {field.presence && <span class={`reference-${field.presence}`}>{field.presence}</span>}
          </dt>
          <dd>
            {field.about !== '' && (
              <p>
                <MarkedText text={field.about} />
              </p>
            )}
            {field.fields.length > 0 && (
              <details class="reference-fold">
                <summary>
                  Fields of <code>{field.name}</code>
                </summary>
                <FieldList fields={field.fields} />
              </details>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function ProblemList({ problems }: { readonly problems: readonly ReferenceProblem[] }): JSX.Element {
  return (
    <dl class="reference-fields">
      {problems.map(({ code, status, text, href }) => (
        <div key={code} id={href === null ? code : undefined}>
          <dt>
            {href === null ? (
              <code>{code}</code>
            ) : (
              <a href={href}>
                <code>{code}</code>
              </a>
            )}
            <span class="reference-type">{status}</span>
          </dt>
          <dd>
            <p>
              <MarkedText text={text} />
            </p>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function LinkList({ links }: { readonly links: readonly ReferenceLink[] }): JSX.Element {
  return (
    <ul class="reference-links">
      {links.map(({ href, label, method, about }) => (
        <li key={href}>
          <a href={href}>{label}</a>
          {method !== undefined && <span class="reference-verb">{method}</span>}
          {about !== undefined && (
            <p class="quiet small">
              <MarkedText text={about} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
