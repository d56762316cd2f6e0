import type { JSX } from 'preact';
import type { ReferenceGroup } from './blocks.ts';

/**
 * Shows every page by group, with the group of the current page open. On a narrow screen all of it is folded. The
 * filter needs its script; without scripts, the stylesheet hides it.
 */
export function ReferenceNavigation(props: {
  readonly groups: readonly ReferenceGroup[];
  readonly current: string;
  readonly title: string;
}): JSX.Element {
  const { groups, current, title } = props;
  return (
    <nav class="reference-navigation" aria-label="API reference">
      <details class="reference-fold-narrow">
        <summary>
          <span class="quiet">All pages:</span> {title}
        </summary>
        <div class="reference-pages">
          <div class="reference-filter">
            <label class="unseen" for="filter">
              Filter pages
            </label>
            <input
              id="filter"
              type="search"
              placeholder="Filter pages"
              autocomplete="off"
              spellcheck={false}
              aria-describedby="filter-result"
            />
            <p id="filter-result" class="quiet small" role="status" />
          </div>
          {groups.map((group) => (
            <details key={group.title} class="reference-group" open={group.links.some(({ href }) => href === current)}>
              <summary>{group.title}</summary>
              <ul>
                {group.links.map(({ href, label, method }) => (
                  <li key={href}>
                    <a href={href} aria-current={href === current ? 'page' : undefined}>
                      {label}
                      {method !== undefined && <span class="reference-verb">{method}</span>}
                    </a>
                  </li>
                ))}
              </ul>
            </details>
          ))}
        </div>
      </details>
    </nav>
  );
}
