import type { JSX } from 'preact';
import { ButtonLink } from './button.tsx';
import { Dialog } from './overlay.tsx';
import { useTranslator } from './translator-context.ts';

/** The id of the dialog, for the button that opens it. */
export const shortcutsId = 'shortcuts';

const keys = [
  ['c', 'shortcuts.send'],
  ['r', 'requests.ask'],
  ['/', 'shortcuts.search'],
  ['j', 'shortcuts.next'],
  ['k', 'shortcuts.previous'],
  ['o', 'shortcuts.open'],
  ['?', 'shortcuts.help'],
] as const;

/** Names the key that presses an element, for the script and for screen readers. */
export function toKey(key: string, hasShortcuts: boolean) {
  return hasShortcuts ? { 'data-key': key, 'aria-keyshortcuts': key } : {};
}

/** The keys of the app. Asking for files has no link of its own in the frame, so the key presses the one here. */
export function Shortcuts({ base, hasShortcuts }: { base: string; hasShortcuts: boolean }): JSX.Element {
  const translator = useTranslator();
  return (
    <Dialog id={shortcutsId} title={translator.t('shortcuts.title')}>
      <dl class="shortcuts">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>
              {key === 'r' ? (
                <a href={`${base}requests/new`} {...toKey('r', hasShortcuts)}>
                  {translator.t(text)}
                </a>
              ) : (
                translator.t(text)
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{translator.t(hasShortcuts ? 'shortcuts.about' : 'shortcuts.off')}</p>
      <ButtonLink href={`${base}settings#keyboard`}>
        {translator.t(hasShortcuts ? 'shortcuts.switchOff' : 'shortcuts.switchOn')}
      </ButtonLink>
    </Dialog>
  );
}
