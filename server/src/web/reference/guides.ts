import type { ReferenceBlock } from './blocks.ts';
import { type Guide, machineGuides, v1Guides } from './generated/guides.ts';
import { machineHref, problemsHref, root } from './parts.ts';

/** Pages whose text is a section of docs/api-v1.md. */
export const concepts = [
  { section: 'keys', href: `${root}/authentication`, title: 'Authentication' },
  { section: 'requests-that-can-be-repeated', href: `${root}/idempotency`, title: 'Idempotency' },
  { section: 'lists', href: `${root}/lists`, title: 'Lists' },
  {
    section: 'changes-that-depend-on-what-you-read',
    href: `${root}/conditional-requests`,
    title: 'Conditional requests',
  },
  { section: 'limits', href: `${root}/limits`, title: 'Limits' },
  { section: 'compatibility', href: `${root}/compatibility`, title: 'Compatibility' },
  { section: 'coming-from-the-machine-api', href: `${root}/migration`, title: 'From the machine API' },
];

/** Pages whose text is a section of docs/api.md. */
export const machineConcepts = [
  { section: 'common-rules', href: `${machineHref}/common-rules`, title: 'Common rules' },
  { section: 'limits', href: `${machineHref}/limits`, title: 'Limits of the machine API' },
];

/** The sections of docs/api-v1.md with which the pages of groups begin, by the name of the group. */
export const groupSections: Readonly<Record<string, string>> = {
  drops: 'drops',
  requests: 'requests',
  uploads: 'uploads',
  inbox: 'the-inbox',
  contacts: 'contacts',
  events: 'events',
  webhooks: 'webhooks',
};

export const findV1Guide = (section: string) => findGuide(v1Guides, section);
export const findMachineGuide = (section: string) => findGuide(machineGuides, section);

function findGuide(guides: readonly Guide[], section: string): readonly ReferenceBlock[] {
  const guide = guides.find(({ id }) => id === section);
  if (!guide) throw new Error(`the documents have no section ${section}`);
  return guide.blocks;
}

/** Finds the page and the place for each heading of the documents. */
export function findPlaces(): ReadonlyMap<string, string> {
  const places = new Map([
    ['api-v1.md', root],
    ['api.md', machineHref],
    ['api.md#operations', machineHref],
    ['api.md#workflow', `${machineHref}#workflow`],
    ['#problems', problemsHref],
  ]);
  const groups = Object.entries(groupSections).map(([group, section]) => ({ section, href: `${root}/${group}` }));
  const add = (document: string, section: string, href: string, blocks: readonly ReferenceBlock[]) => {
    places.set(`${document}#${section}`, href);
    for (const block of blocks) {
      if (block.kind === 'heading') places.set(`${document}#${block.id}`, `${href}#${block.id}`);
    }
  };
  for (const { section, href } of [...concepts, ...groups]) {
    for (const document of ['', 'api-v1.md']) add(document, section, href, findV1Guide(section));
  }
  for (const { section, href } of machineConcepts) add('api.md', section, href, findMachineGuide(section));
  return places;
}

/** Replaces links of the documents by links of the site. One that leads to another document becomes text. */
export function resolveLinks<Value>(value: Value, places: ReadonlyMap<string, string>): Value {
  if (typeof value === 'string') {
    const text = value.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, label: string, target: string) => {
      if (target.startsWith('/') || target.startsWith('https://')) return link;
      const href = places.get(target);
      return href === undefined ? label : `[${label}](${href})`;
    });
    return text as Value;
  }
  if (Array.isArray(value)) return value.map((inner) => resolveLinks(inner, places)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveLinks(inner, places)])) as Value;
}
