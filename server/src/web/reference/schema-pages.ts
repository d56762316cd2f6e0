import type { DescribedApi } from './apis.ts';
import type { ReferenceBlock, ReferenceContent, ReferenceLink } from './blocks.ts';
import type { Schema } from './document.ts';
import type { FieldDescriber } from './fields.ts';
import { schemasHref, toHeading, toLink, toParagraph, toSchemaHref } from './parts.ts';
import { createSample } from './sample.ts';

/** Creates a page for each named schema, which links to the schemas and operations that use it. */
export function toSchemaPages(
  { document, operations }: DescribedApi,
  describer: FieldDescriber,
  pages: readonly ReferenceContent[],
): ReferenceContent[] {
  // The example of a request has only the fields that go together.
  const examples = new Map(
    operations.flatMap(({ requestBody, route }) =>
      listRefs(requestBody ?? {}).map((name) => [name, route.example] as const),
    ),
  );
  const sent = new Set(operations.flatMap(({ requestBody }) => listRefs(requestBody ?? {})));
  for (const name of sent) for (const inner of listRefs(document.components['schemas']?.[name] ?? {})) sent.add(inner);
  const schemas = Object.entries(document.components['schemas'] ?? {}) as [string, Schema][];
  const texts = pages.map((page) => ({ page, text: JSON.stringify(page.blocks) }));
  const refs = schemas.map(([name, schema]) => ({ name, refs: listRefs(schema) }));
  return schemas
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, schema]): ReferenceContent => {
      const href = toSchemaHref(name);
      const users = texts.filter(({ text }) => text.includes(`](${href})`)).map(({ page }) => toLink(page));
      const fields = describer.listFields(schema, sent.has(name) ? 'request' : 'response');
      const containers = refs.filter((other) => other.refs.includes(name));
      const sample = examples.get(name) ?? createSample(document, { $ref: toRef(name) });
      return {
        href,
        title: name,
        group: 'Schemas',
        ...(schema.description === undefined ? {} : { lead: schema.description }),
        blocks: [
          ...(fields.length > 0
            ? [toHeading('fields', 'Fields'), { kind: 'fields', fields } as const]
            : [toParagraph(`Type: ${describer.toType(schema)}.`)]),
          ...toUserBlocks(
            'used-in',
            'Used in',
            containers.map((other) => ({ href: toSchemaHref(other.name), label: other.name })),
          ),
          ...toUserBlocks('operations', 'Operations', users),
        ],
        samples: typeof sample === 'object' ? [{ title: 'Example', text: JSON.stringify(sample, null, 2) }] : [],
        under: schemasHref,
      };
    });
}

/** Lists the names of the schemas that are mentioned. */
function listRefs(value: object): string[] {
  return [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
}

function toRef(name: string): string {
  return `#/components/schemas/${name}`;
}

function toUserBlocks(id: string, title: string, links: readonly ReferenceLink[]): ReferenceBlock[] {
  return links.length > 0 ? [toHeading(id, title), { kind: 'links', links: links }] : [];
}
