import type { JSX } from 'preact';
import { Card } from '../components/card.tsx';
import { Table } from '../components/table.tsx';

export interface ReferenceField {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly about: string;
}

export interface ReferenceOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Null if any key is allowed. */
  readonly scope: string | null;
  readonly parameters: readonly ReferenceField[];
  readonly body: readonly ReferenceField[];
  readonly response: { readonly status: number; readonly about: string; readonly fields: readonly ReferenceField[] };
  readonly problems: readonly { readonly code: string; readonly status: number }[];
  /** A command that can be pasted into a shell. */
  readonly example: string;
}

export interface ReferencePageProps {
  readonly operations: readonly ReferenceOperation[];
  readonly descriptionHref: string;
  readonly problemsHref: string;
}

/** The reference for programmers, in English like all its names. */
export function ReferencePage({ operations, descriptionHref, problemsHref }: ReferencePageProps): JSX.Element {
  // Grouped by the part of the path after /api/v1.
  const groups = [...Map.groupBy(operations, ({ path }) => path.split('/')[3] ?? '')];
  return (
    <Card
      wide
      icon="info"
      title="API reference"
      about={
        <p class="lead">
          Every operation of <code>/api/v1</code>. Send an API key as <code>Authorization: Bearer</code>. The same as an
          OpenAPI document: <a href={descriptionHref}>{descriptionHref}</a>. What the API may refuse:{' '}
          <a href={problemsHref}>Problems</a>.
        </p>
      }
    >
      <nav class="reference-contents" id="operations" aria-label="Operations">
        {groups.map(([group, members]) => (
          <section key={group}>
            <a href={`#${group}`}>{toTitle(group)}</a>
            <ul>
              {members.map(({ id, method, path }) => (
                <li key={id}>
                  <a href={`#${id}`}>
                    <code>
                      {method} {path}
                    </code>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      {groups.map(([group, members]) => (
        <section key={group} class="reference-group" aria-labelledby={group}>
          <h2 id={group}>{toTitle(group)}</h2>
          {members.map((operation) => (
            <Operation key={operation.id} operation={operation} problemsHref={problemsHref} />
          ))}
          <p class="small">
            <a href="#operations">All operations</a>
          </p>
        </section>
      ))}
    </Card>
  );
}

const toTitle = (group: string) => `${group.charAt(0).toUpperCase()}${group.slice(1)}`;

function Operation(props: { operation: ReferenceOperation; problemsHref: string }): JSX.Element {
  const { id, method, path, summary, scope, parameters, body, response, problems, example } = props.operation;
  return (
    <section class="reference-entry" aria-labelledby={id}>
      <h3 id={id}>
        <code>
          {method} {path}
        </code>
      </h3>
      <p>
        <Marked text={summary} />.
      </p>
      <p class="quiet small">
        {scope === null ? 'Any key will do.' : 'Scope: '}
        {scope !== null && <code>{scope}</code>}
      </p>
      <pre class="reference-example" role="group" tabIndex={0} aria-label="Example">
        <code>{example}</code>
      </pre>
      <FieldTable caption="Parameters" fields={parameters} />
      <FieldTable caption="Body" fields={body} />
      <p>
        <strong>{response.status}</strong> <Marked text={response.about} />
      </p>
      <FieldTable caption="Answer" fields={response.fields} isResponse />
      <details class="folded">
        <summary>Problems</summary>
        <ul class="points">
          {problems.map(({ code, status }) => (
            <li key={code}>
              {status} <a href={`${props.problemsHref}#${code}`}>{code}</a>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

/** Shows text between backticks as code, as in Markdown. */
function Marked({ text }: { text: string }): JSX.Element {
  return (
    <span>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</span>
  );
}

function FieldTable(props: {
  caption: string;
  fields: readonly ReferenceField[];
  isResponse?: boolean;
}): JSX.Element | null {
  if (props.fields.length === 0) return null;
  return (
    <Table
      caption={props.caption}
      rows={props.fields}
      rowKey={({ name }) => name}
      columns={[
        { label: 'Name', cell: ({ name }) => <code>{name}</code> },
        { label: 'Type', cell: ({ type }) => type },
        ...(props.isResponse
          ? []
          : [{ label: 'Required', cell: ({ required }: ReferenceField) => (required ? 'yes' : 'no') }]),
        ...(props.fields.some(({ about }) => about !== '')
          ? [{ label: 'Meaning', cell: ({ about }: ReferenceField) => about !== '' && <Marked text={about} /> }]
          : []),
      ]}
    />
  );
}

export interface ProblemsPageProps {
  readonly problems: readonly {
    readonly code: string;
    readonly title: string;
    readonly status: number;
    readonly text: string;
  }[];
  readonly referenceHref: string;
}

/** The page to which the `type` of a problem links. */
export function ProblemsPage({ problems, referenceHref }: ProblemsPageProps): JSX.Element {
  return (
    <Card
      icon="info"
      title="Problems"
      about={
        <p class="lead">
          What the API may refuse, and what to do about it. See also the <a href={referenceHref}>API reference</a>.
        </p>
      }
    >
      {problems.map(({ code, title, status, text }) => (
        <section key={code} class="reference-entry" aria-labelledby={code}>
          <h2 id={code}>{title}</h2>
          <p class="quiet small">
            <code>{code}</code> · {status}
          </p>
          <p>
            <Marked text={text} />
          </p>
        </section>
      ))}
    </Card>
  );
}
