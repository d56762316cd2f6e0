import './frame.ts';
import { render } from 'preact';
import { ComposerBar } from '../components/composer-bar.tsx';
import { ComposerPreview } from '../components/composer-preview.tsx';
import { Icon } from '../components/icon.tsx';
import { TranslatorContext } from '../components/translator-context.ts';
import { isolate } from '../plain.ts';
import { mountFiles, noFiles } from './composer-files.tsx';
import type { ReceiverState } from './composer-receivers.tsx';
import { islandTranslator } from './island-translator.ts';
import { mountReceivers } from './mount-receivers.tsx';

/** Everything that the person wrote, as it is kept with the files. */
interface Written {
  readonly receivers: ReceiverState;
  readonly fields: Readonly<Record<string, string>>;
}

/** Turns the plain form into the composer: chips, preview, count, and files that are on their way while one writes. */
function start(form: HTMLFormElement, json: string): void {
  const translator = islandTranslator(json);
  const { senderName = '', senderAddress = '' } = form.dataset;
  const find = <Found extends HTMLElement>(selector: string) => document.querySelector<Found>(selector);
  const draw = (node: preact.ComponentChild, root: Element | null) => {
    if (root) render(<TranslatorContext.Provider value={translator}>{node}</TranslatorContext.Provider>, root);
  };
  const live = find<HTMLElement>('[data-live][role=status]');
  const say = (text: string) => {
    if (live) live.textContent = text;
  };
  let files = noFiles;

  const readField = (name: string) => {
    const value = new FormData(form).get(name);
    return typeof value === 'string' ? value : '';
  };
  const readWritten = (): Written => {
    const fields: Record<string, string> = {};
    for (const [name, value] of new FormData(form)) {
      if (typeof value === 'string' && !unkept.has(name)) fields[name] = value;
    }
    return { receivers: receivers.state, fields };
  };

  function drawPhones(): void {
    const isNeeded = readField('second_factor') === 'sms';
    const root = find('#composer-phones');
    const typed = new Map(
      Array.from(root?.querySelectorAll('input') ?? [], (input) => [input.name, input.value] as const),
    );
    draw(
      isNeeded
        ? receivers.state.receivers
            .filter(({ hasPhone }) => !hasPhone)
            .slice(0, maxPhones)
            .map(({ email, name }) => (
              <div class="field composer-phone" key={email}>
                <label for={`phone:${email}`}>{translator.t('composer.phone', { name: isolate(name || email) })}</label>
                <input
                  id={`phone:${email}`}
                  name={`phone:${email}`}
                  type="text"
                  inputmode="tel"
                  autocomplete="off"
                  placeholder="+46 70 123 45 67"
                  value={typed.get(`phone:${email}`) ?? kept.get(`phone:${email}`) ?? ''}
                />
              </div>
            ))
        : null,
      root,
    );
  }
  function drawRest(): void {
    const message = readField('message');
    const notify = readField('notify') !== 'links';
    draw(
      <ComposerBar
        receiverCount={receivers.state.receivers.length}
        hasMessage={message.trim() !== ''}
        notify={notify}
        progress={{ ...files, fileCount: files.files.length }}
        onCancel={() => composer.cancel()}
      />,
      find('#send-bar'),
    );
    draw(
      <ComposerPreview
        view={find('.preview [value=mail]:checked') ? 'mail' : 'page'}
        sender={{ name: senderName, address: senderAddress }}
        files={files.files
          .filter(({ isStopped }) => !isStopped)
          .map(({ name, path, sizeBytes }) => ({ name: path ?? name, sizeBytes }))}
        message={message}
        until={readUntil()}
        secondFactor={readField('second_factor') as 'off' | 'mail' | 'sms'}
        notify={notify}
      />,
      find('#preview'),
    );
  }
  /** The last day in words, as the hint of the chosen lifetime says it. */
  function readUntil(): string | undefined {
    const chosen = find<HTMLInputElement>('#composer [name=days]:checked');
    if (!chosen) return undefined;
    if (chosen.value === '') {
      const date = find<HTMLInputElement>('#composer [name=until]')?.valueAsDate;
      return date ? formatDay.format(date) : undefined;
    }
    const index = Array.from(document.querySelectorAll('#composer [name=days]')).indexOf(chosen);
    return document.querySelectorAll<HTMLElement>('#days-hints [data-until]')[index]?.dataset['until'];
  }
  const formatDay = new Intl.DateTimeFormat(translator.locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  });

  function showProblem(name: string, text: string): void {
    const id = name === 'phone' ? 'second_factor' : name;
    const root = find(`#${id === '' ? 'composer' : id}-problem`);
    draw(
      text === '' ? null : id === '' ? (
        <div class="banner tone-bad" role="alert">
          <Icon name="alert" />
          <p class="banner-text">{text}</p>
        </div>
      ) : (
        <>
          <Icon name="alert" small />
          <span role="alert">{text}</span>
        </>
      ),
      root,
    );
    if (text !== '') root?.scrollIntoView({ block: 'nearest' });
  }
  function clearProblems(): void {
    for (const root of document.querySelectorAll('#composer [id$=-problem]')) if (root.id !== '') draw(null, root);
  }

  const kept = new Map<string, string>();
  const restore = ({ receivers: restored, fields }: Written) => {
    for (const [name, value] of Object.entries(fields)) {
      kept.set(name, value);
      const element = form.elements.namedItem(name);
      if (element instanceof RadioNodeList) element.value = value;
      else if (element instanceof HTMLInputElement && element.type === 'checkbox') element.checked = true;
      else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) element.value = value;
    }
    receivers.restore(restored);
  };

  // The server draws problems as text, which a script may replace only if it has drawn it.
  for (const root of document.querySelectorAll<HTMLElement>('#composer [id$=-problem]')) {
    const text = root.textContent ?? '';
    root.replaceChildren();
    if (text !== '') showProblem(root.id === 'composer-problem' ? '' : root.id.replace(/-problem$/, ''), text);
  }
  for (const id of ['#send-bar', '#preview', '#composer-phones']) find(id)?.replaceChildren();
  const receivers = mountReceivers(form, {
    translator,
    say,
    onChange: ({ unreadable }) => {
      if (unreadable.length === 0) showProblem('receiver', '');
      drawPhones();
      drawRest();
    },
  });

  takeSharedText(form);
  const refuse = (name: string, text: string) => {
    showProblem(name, translator.t(text));
    if (name === 'receiver') find('#receiver-input')?.focus();
    say(translator.t(text));
  };
  /** Says what is missing before anything is sent. */
  const check = async () => {
    clearProblems();
    await receivers.commit();
    const [unreadable] = receivers.state.unreadable;
    if (unreadable !== undefined) {
      showProblem('receiver', translator.t('composer.problem.unreadable', { text: isolate(unreadable) }));
      find('#receiver-input')?.focus();
    } else if (receivers.state.receivers.length === 0) refuse('receiver', 'composer.problem.nobody');
    else if (files.files.length === 0 && readField('message').trim() === '')
      refuse('files', 'composer.problem.nothing');
    else {
      isChecked = true;
      form.requestSubmit();
      isChecked = false;
    }
  };
  let isChecked = false;
  form.addEventListener('submit', (event) => {
    if (isChecked) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // A form cannot be submitted again before the browser is done with this event.
    setTimeout(() => void check());
  });
  const composer = mountFiles(find('#composer-files') as HTMLElement, {
    form,
    translator,
    say,
    fields: {
      read: () => {
        const written = readWritten();
        const isEmpty = written.receivers.receivers.length === 0 && (written.fields['message'] ?? '').trim() === '';
        return isEmpty ? '' : JSON.stringify(written);
      },
      restore: (text) => {
        restore(JSON.parse(text) as Written);
        const mark = find('#composer-kept');
        if (mark) mark.hidden = false;
      },
    },
    onChange: (state) => {
      files = state;
      drawRest();
    },
    onRefused: ({ message, field: name }) => {
      showProblem(name ?? '', message);
      say(message);
    },
  });
  files = composer.state;
  form.addEventListener('input', drawRest);
  form.addEventListener('change', (event) => {
    if (!(event.target instanceof Element) || event.target.id !== 'receiver') {
      drawPhones();
      drawRest();
    }
  });
  find('.preview')?.addEventListener('change', drawRest);
  drawPhones();
  drawRest();
}

/** Takes the text that came from the device's Share menu out of the address. */
function takeSharedText(form: HTMLFormElement): void {
  const message = form.elements.namedItem('message');
  const shared = /^#message=(.*)$/s.exec(location.hash)?.[1];
  if (shared === undefined || !(message instanceof HTMLTextAreaElement)) return;
  if (message.value === '') message.value = decodeURIComponent(shared);
  history.replaceState(null, '', location.pathname + location.search);
}

/** Fields that belong to one page, or that other parts keep. */
const unkept: ReadonlySet<string> = new Set(['csrftoken', 'request_id', 'receiver', 'upload', 'files']);
/** A form has at most 200 parts; more people are saved as contacts first. */
const maxPhones = 100;

const form = document.getElementById('composer');
const json = document.getElementById('composer-texts')?.textContent;
if (form instanceof HTMLFormElement && json) start(form, json);
