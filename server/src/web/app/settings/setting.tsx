import type { ComponentChildren, JSX } from 'preact';
import { Banner } from '../../shared/components/banner.tsx';

/** A part of the settings: its heading, and beside it what can be changed. */
export function Setting(props: {
  /** The id of the setting, which is also the fragment to which the server leads back after a change. */
  id: string;
  title: string;
  about?: ComponentChildren;
  /** The result of the last change, if it was in this part. */
  notice?: { readonly tone: 'good' | 'bad'; readonly text: string } | undefined;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="setting" id={props.id} aria-labelledby={`${props.id}-title`}>
      <header>
        <h2 id={`${props.id}-title`}>{props.title}</h2>
        {props.about && <p class="quiet">{props.about}</p>}
      </header>
      <div class="setting-body">
        {props.notice && <Banner tone={props.notice.tone}>{props.notice.text}</Banner>}
        {props.children}
      </div>
    </section>
  );
}
