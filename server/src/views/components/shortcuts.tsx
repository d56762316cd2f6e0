import type { JSX } from 'preact';
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

/** The keys of the app. Asking for files has no link of its own in the frame, so the key presses the one here. */
export function Shortcuts({ base }: { base: string }): JSX.Element {
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
                <a href={`${base}requests/new`} data-key="r" aria-keyshortcuts="r">
                  {translator.t(text)}
                </a>
              ) : (
                translator.t(text)
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{translator.t('shortcuts.about')}</p>
    </Dialog>
  );
}
