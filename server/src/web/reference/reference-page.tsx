import type { JSX } from 'preact';
import { BlockList, CodeText } from './block-list.tsx';
import type { ReferenceContent, ReferenceGroup, ReferenceLink } from './blocks.ts';
import { MarkedText } from './marked-text.tsx';
import { ReferenceNavigation } from './navigation.tsx';

export interface ReferencePageProps {
  readonly groups: readonly ReferenceGroup[];
  readonly content: ReferenceContent;
}

/** A page of the reference for programmers, in English like all its names. */
export function ReferencePage({ groups, content }: ReferencePageProps): JSX.Element {
  const { href, title, group, endpoint, lead, blocks, samples, under } = content;
  return (
    <div class="reference">
      <a class="reference-skip" href="#content">
        Skip to content
      </a>
      <ReferenceNavigation groups={groups} current={under ?? href} title={title} />
      <main
        id="content"
        tabIndex={-1}
        class={samples.length > 0 ? 'reference-main reference-with-samples' : 'reference-main'}
      >
        <div class="reference-text reference-head">
          <p class="reference-crumb">{group}</p>
          <h1>{title}</h1>
          {endpoint && (
            <p class="reference-endpoint">
              <span class="reference-method">{endpoint.method}</span> <code>{endpoint.path}</code>
            </p>
          )}
          {lead !== undefined && (
            <p class="lead">
              <MarkedText text={lead} />
            </p>
          )}
        </div>
        {samples.length > 0 && (
          <section class="reference-samples" aria-label="Examples">
            {samples.map((sample) => (
              <figure key={sample.title} class="reference-sample">
                <figcaption>
                  <span>{sample.title}</span>
                  <button class="button button-plain" type="button" data-copies hidden>
                    Copy
                  </button>
                </figcaption>
                <CodeText label={sample.title} text={sample.text} />
              </figure>
            ))}
          </section>
        )}
        <div class="reference-text">
          <BlockList blocks={blocks} />
        </div>
        <Neighbours links={groups.flatMap(({ links }) => links)} current={href} />
      </main>
    </div>
  );
}

function Neighbours({ links, current }: { links: readonly ReferenceLink[]; current: string }): JSX.Element | null {
  const index = links.findIndex(({ href }) => href === current);
  if (index === -1) return null;
  const [previous, next] = [links[index - 1], links[index + 1]];
  return (
    <nav class="reference-neighbours" aria-label="Previous and next page">
      {previous && (
        <a href={previous.href} rel="prev">
          <span class="quiet small">Previous</span> {previous.label}
        </a>
      )}
      {next && (
        <a href={next.href} rel="next">
          <span class="quiet small">Next</span> {next.label}
        </a>
      )}
    </nav>
  );
}
