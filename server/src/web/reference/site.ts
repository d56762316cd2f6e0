import { type DescribedApi, type DescribedOperation, describeMachineApi, describeV1 } from './apis.ts';
import type { ReferenceBlock, ReferenceContent, ReferenceGroup } from './blocks.ts';
import { FieldDescriber } from './fields.ts';
import { machineOperations } from './generated/guides.ts';
import {
  concepts,
  findMachineGuide,
  findPlaces,
  findV1Guide,
  groupSections,
  machineConcepts,
  resolveLinks,
} from './guides.ts';
import { toOperationPage, toSamples } from './operation-page.ts';
import {
  capitalize,
  machineHref,
  root,
  schemasHref,
  toDescribedLink,
  toHeading,
  toLink,
  toParagraph,
  toSchemaHref,
} from './parts.ts';
import { toProblemsPage } from './problems-page.ts';
import { toSchemaPages } from './schema-pages.ts';

export interface ReferenceSite {
  readonly groups: readonly ReferenceGroup[];
  /** By address. */
  readonly pages: ReadonlyMap<string, ReferenceContent>;
}

/** The pages of one group of operations, of which the first one introduces the others. */
interface Section {
  readonly label: string;
  readonly introduction: ReferenceContent;
  readonly guides: readonly ReferenceContent[];
  readonly operations: readonly ReferenceContent[];
}

/** Creates every page from the OpenAPI documents, the tables of routes and the texts of docs/api-v1.md and docs/api.md. */
export function createReference(publicUrl: string): ReferenceSite {
  const v1 = describeV1(publicUrl);
  const machine = describeMachineApi(publicUrl);
  const describer = new FieldDescriber(v1.document, toSchemaHref);
  const v1Sections = toV1Sections(v1, describer);
  const sections = [...v1Sections, toMachineSection(machine)];
  const schemaPages = toSchemaPages(
    v1,
    describer,
    v1Sections.flatMap(({ operations }) => operations),
  );
  const conceptPages = [
    toOverview(v1, publicUrl, sections),
    ...concepts.map(({ section, ...page }) => toTextPage('Concepts', page, findV1Guide(section))),
    toProblemsPage(v1, machine, publicUrl, findV1Guide('problems')),
    toSchemaIndex(schemaPages),
  ];
  const groups = [
    { title: 'Concepts', links: conceptPages.map(toLink) },
    ...sections.map(({ label, introduction, guides, operations }) => ({
      title: introduction.title,
      links: [{ href: introduction.href, label }, ...[...guides, ...operations].map(toLink)],
    })),
  ];
  const sectionPages = sections.flatMap(({ introduction, guides, operations }) => [
    introduction,
    ...guides,
    ...operations,
  ]);
  const places = findPlaces();
  const pages = [...conceptPages, ...schemaPages, ...sectionPages].map((page) => resolveLinks(page, places));
  return { groups, pages: new Map(pages.map((page) => [page.href, page])) };
}

/** Groups the operations by the part of their paths after /api/v1. */
function toV1Sections(v1: DescribedApi, describer: FieldDescriber): Section[] {
  return [...Map.groupBy(v1.operations, ({ path }) => path.split('/')[3] ?? '')].map(([slug, members]) => {
    const title = capitalize(slug);
    const operations = members.map((operation) => toOperationPage(v1, describer, operation, { slug, title }));
    const section = groupSections[slug];
    const page = { href: `${root}/${slug}`, title };
    return {
      label: `About ${slug.endsWith('s') ? slug : `the ${slug}`}`,
      introduction: toTextPage(title, page, [
        ...(section === undefined ? [] : [...findV1Guide(section), toHeading('operations', 'Operations')]),
        { kind: 'links', links: operations.map(toDescribedLink) },
      ]),
      guides: [],
      operations,
    };
  });
}

function toMachineSection(machine: DescribedApi): Section {
  const [slug, title] = ['machine-api', 'Machine API'];
  const describer = new FieldDescriber(machine.document, toSchemaHref);
  const operations = machine.operations.map((operation) =>
    toOperationPage(machine, describer, operation, { slug, title }, machineOperations[operation.route.path]),
  );
  return {
    label: 'About the machine API',
    introduction: {
      ...toTextPage(title, { href: machineHref, title }, [
        toParagraph('The same as an OpenAPI document: [/openapi.json](/openapi.json).'),
        toHeading('workflow', 'Workflow'),
        ...findMachineGuide('workflow'),
        toHeading('operations', 'Operations'),
        { kind: 'links', links: operations.map(toDescribedLink) },
      ]),
      lead: `${machine.document.info.description} New programs use [/api/v1](${root}), which can do more.`,
    },
    guides: machineConcepts.map(({ section, ...page }) => toTextPage(title, page, findMachineGuide(section))),
    operations,
  };
}

function toOverview(v1: DescribedApi, publicUrl: string, sections: readonly Section[]): ReferenceContent {
  return {
    href: root,
    title: 'Overview',
    group: 'API reference',
    lead: v1.document.info.description,
    blocks: [
      toParagraph(
        `The address of the API is \`${publicUrl}/api/v1\`. Requests and responses are JSON, except for the bytes of files. Send [an API key](${root}/authentication) with every request; its scopes decide which operations it may call.`,
      ),
      toParagraph(
        'The same as an OpenAPI document, for tools such as client generators: [/api/v1/openapi.json](/api/v1/openapi.json).',
      ),
      ...findV1Guide('formats'),
      toHeading('operations', 'Operations'),
      ...sections.flatMap(({ introduction: { href, title }, operations }): ReferenceBlock[] => [
        toHeading(href.slice(root.length + 1), `[${title}](${href})`, 3),
        { kind: 'links', links: operations.map(toLink) },
      ]),
    ],
    samples: toSamples(v1, v1.operations[0] as DescribedOperation),
  };
}

function toSchemaIndex(pages: readonly ReferenceContent[]): ReferenceContent {
  const links = pages.map(toLink);
  return {
    ...toTextPage('Concepts', { href: schemasHref, title: 'Schemas' }, [{ kind: 'links', links }]),
    lead: 'The objects that the operations of `/api/v1` take and return, by their names in the OpenAPI document.',
  };
}

function toTextPage(
  group: string,
  page: Pick<ReferenceContent, 'href' | 'title'>,
  blocks: readonly ReferenceBlock[],
): ReferenceContent {
  return { ...page, group, blocks, samples: [] };
}
