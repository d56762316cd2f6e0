import type { SecondFactor } from '../../../../domain/policy.ts';
import '../../islands/frame.ts';
import type { JSX } from 'preact';
import type { KnownReceiver } from '../../../../domain/contacts/contact-store.ts';
import { isolate } from '../../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../../present/texts/translator-context.ts';
import { Icon } from '../../../shared/components/icon.tsx';
import { islandTranslator } from '../../../shared/islands/island-translator.ts';
import type { ReceiverState } from '../../islands/composer-receivers.tsx';
import { drawPart } from '../../islands/draw-part.tsx';
import { type MountedReceivers, mountReceivers } from '../../islands/mount-receivers.tsx';
import { ComposerBar } from '../composer-bar.tsx';
import { ComposerPreview } from '../composer-preview.tsx';
import {
  type FieldValues,
  readField,
  readFields,
  readLastDay,
  restoreFields,
  takeSharedText,
} from './composer-fields.ts';
import { type ComposerFiles, type FilesState, mountFiles, noFiles } from './composer-files.tsx';
import { drawOtherDraft } from './other-draft.tsx';

/** Everything that the person wrote, as it is kept with the files. */
interface Written {
  readonly receivers: ReceiverState;
  readonly fields: FieldValues;
}

/** The form as a composer: chips, preview, count, and files that are on their way while one writes. */
class ComposerForm {
  readonly #form: HTMLFormElement;
  readonly #translator: ViewTranslator;
  readonly #problems: ComposerProblems;
  readonly #receivers: MountedReceivers;
  readonly #files: ComposerFiles;
  #filesState: FilesState = noFiles;
  /** Texts of fields that the page does not have at the moment. */
  #restored: FieldValues = {};
  /** Everything as the page had it, which is not worth keeping. */
  #untouched = '';
  #isChecked = false;

  constructor(form: HTMLFormElement, json: string) {
    this.#form = form;
    // A draft is kept here, and better than by the browser, which would restore single fields of an earlier one.
    form.autocomplete = 'off';
    this.#translator = islandTranslator(json);
    this.#problems = mountProblems(form, this.#translator);
    for (const id of ['send-bar', 'preview', 'composer-phones']) document.getElementById(id)?.replaceChildren();
    this.#receivers = mountReceivers(form, {
      translator: this.#translator,
      say,
      onChange: ({ unreadable }) => {
        if (unreadable.length === 0) this.#problems.show('receiver', '');
        this.draw();
      },
    });
    const isShared = takeSharedText(form);
    // Before the files, which send the form: it is checked first.
    form.addEventListener('submit', (event) => this.#submit(event));
    this.#files = this.#mountFiles(isShared);
    this.#filesState = this.#files.state;
    form.addEventListener('input', () => this.#drawRest());
    form.addEventListener('change', () => this.draw());
    document.querySelector('.preview')?.addEventListener('change', () => this.#drawRest());
  }

  #mountFiles(isShared: boolean): ComposerFiles {
    return mountFiles(document.getElementById('composer-files') as HTMLElement, {
      form: this.#form,
      translator: this.#translator,
      say,
      fields: {
        isFilled: [readField(this.#form, 'receiver'), readField(this.#form, 'message')].some(
          (text) => text.trim() !== '',
        ),
        read: (hasFiles) => this.#write(hasFiles),
        restore: (text) => this.#restore(JSON.parse(text) as Written),
        mark: () => this.#mark(),
        addNamed: () => {
          const added = this.#receivers.addNamed();
          // A shared text is nowhere else; nor is what is written before the server responds.
          if (!isShared) this.#untouched = this.#mark();
          return added;
        },
      },
      onOther: (draft) => {
        const { receivers } = (draft.written === '' ? {} : JSON.parse(draft.written)) as Partial<Written>;
        drawOtherDraft(this.#translator, draft, receivers?.receivers ?? []);
      },
      onChange: (state) => {
        this.#filesState = state;
        this.#drawRest();
      },
      onRefused: ({ message, field = '' }) => {
        this.#problems.show(field, message);
        say(message);
      },
    });
  }

  /** Everything that was written as one text; empty if there is nothing worth keeping, and no file. */
  #write(hasFiles: boolean): string {
    const written: Written = { receivers: this.#receivers.state, fields: readFields(this.#form) };
    const isEmpty =
      !hasFiles &&
      (this.#mark() === this.#untouched ||
        (written.receivers.receivers.length === 0 && (written.fields['message'] ?? '').trim() === ''));
    return isEmpty ? '' : JSON.stringify(written);
  }

  /** Describes whom the form goes to, and with what. */
  #mark(): string {
    const { receivers, unreadable } = this.#receivers.state;
    return JSON.stringify([receivers.map(({ email }) => email), unreadable, readFields(this.#form)]);
  }

  #restore({ receivers, fields }: Written): void {
    this.#restored = fields;
    restoreFields(this.#form, fields);
    this.#receivers.restore(receivers);
    const mark = document.getElementById('composer-kept');
    if (mark) mark.hidden = false;
  }

  #submit(event: SubmitEvent): void {
    if (this.#isChecked) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // A form cannot be submitted again before the browser is done with this event.
    setTimeout(() => void this.#check());
  }

  /** Says what is missing before anything is sent. */
  async #check(): Promise<void> {
    const translator = this.#translator;
    this.#problems.clear();
    await this.#files.begun;
    await this.#receivers.commit();
    const { receivers, unreadable } = this.#receivers.state;
    const hasContent = this.#filesState.files.length > 0 || readField(this.#form, 'message').trim() !== '';
    if (unreadable[0] !== undefined) {
      this.#refuse('receiver', translator.t('composer.problem.unreadable', { text: isolate(unreadable[0]) }));
    } else if (receivers.length === 0 && readField(this.#form, 'who') !== 'anybody')
      this.#refuse('receiver', translator.t('composer.problem.nobody'));
    else if (!hasContent) this.#refuse('files', translator.t('composer.problem.nothing'));
    else {
      this.#isChecked = true;
      this.#form.requestSubmit();
      this.#isChecked = false;
    }
  }

  #refuse(field: 'receiver' | 'files', text: string): void {
    this.#problems.show(field, text);
    if (field === 'receiver') document.getElementById('receiver-input')?.focus();
    say(text);
  }

  draw(): void {
    this.#drawPhones();
    this.#drawRest();
  }

  #drawPhones(): void {
    const isNeeded = readField(this.#form, 'second_factor') === 'sms';
    const values = { ...this.#restored, ...readFields(this.#form) };
    drawPart(
      this.#translator,
      isNeeded && <PhoneFields receivers={this.#receivers.state.receivers} values={values} />,
      document.getElementById('composer-phones'),
    );
  }

  /** Draws the bar at the lower edge, and the preview. */
  #drawRest(): void {
    const { senderName = '', senderAddress = '' } = this.#form.dataset;
    const { files } = this.#filesState;
    const message = readField(this.#form, 'message');
    const notify = readField(this.#form, 'notify') !== 'links';
    drawPart(
      this.#translator,
      <ComposerBar
        receiverCount={this.#receivers.state.receivers.length}
        hasMessage={message.trim() !== ''}
        notify={notify}
        progress={{ ...this.#filesState, fileCount: files.length }}
        onCancel={() => this.#files.cancel()}
      />,
      document.getElementById('send-bar'),
    );
    drawPart(
      this.#translator,
      <ComposerPreview
        view={document.querySelector('.preview [value=mail]:checked') ? 'mail' : 'page'}
        sender={{ name: senderName, address: senderAddress }}
        files={files
          .filter(({ isStopped }) => !isStopped)
          .map(({ name, path, sizeBytes }) => ({ name: path ?? name, sizeBytes }))}
        message={message}
        until={readLastDay(this.#form, this.#translator.locale)}
        secondFactor={readField(this.#form, 'second_factor') as SecondFactor}
        notify={notify}
      />,
      document.getElementById('preview'),
    );
  }
}

/** Reads text out to users of screen readers. */
function say(text: string): void {
  const live = document.querySelector('[data-live][role=status]');
  if (live) live.textContent = text;
}

/** A form has at most 200 parts; more people are saved as contacts first. */
const maxPhones = 100;

/** A field for the number of each receiver who has none, for a code by SMS. */
function PhoneFields(props: { receivers: readonly KnownReceiver[]; values: FieldValues }): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      {props.receivers
        .filter(({ hasPhone }) => !hasPhone)
        .slice(0, maxPhones)
        .map(({ email, name }) => {
          const field = `phone:${email}`;
          return (
            <div class="field composer-phone" key={email}>
              <label for={field}>{translator.t('composer.phone', { name: isolate(name || email) })}</label>
              <input
                id={field}
                name={field}
                type="text"
                inputmode="tel"
                autocomplete="off"
                placeholder="+46 70 123 45 67"
                value={props.values[field] ?? ''}
              />
            </div>
          );
        })}
    </>
  );
}

interface ComposerProblems {
  /** Shows a text at a field, or at the top of the form if the name is empty. An empty text removes it. */
  show(field: string, text: string): void;
  clear(): void;
}

/** Takes over the places in which the server says what is wrong with the form. */
function mountProblems(form: HTMLFormElement, translator: ViewTranslator): ComposerProblems {
  const places = Array.from(form.querySelectorAll<HTMLElement>('[id$=-problem]'));
  const show = (field: string, text: string) => {
    const id = field === 'phone' ? 'second_factor' : field || 'composer';
    const place = places.find((each) => each.id === `${id}-problem`) ?? null;
    drawPart(translator, text === '' ? null : field === '' ? toBanner(text) : toLine(text), place);
    if (text !== '') place?.scrollIntoView({ block: 'nearest' });
  };
  // The server draws them as text, which a script may replace only if it has drawn it.
  for (const place of places) {
    const text = place.textContent ?? '';
    place.replaceChildren();
    const field = place.id.replace(/-problem$/, '');
    if (text !== '') show(field === 'composer' ? '' : field, text);
  }
  return {
    show,
    clear() {
      for (const place of places) drawPart(translator, null, place);
    },
  };
}

const toBanner = (text: string) => (
  <div class="banner tone-bad" role="alert">
    <Icon name="alert" />
    <p class="banner-text">{text}</p>
  </div>
);

const toLine = (text: string) => (
  <>
    <Icon name="alert" small />
    <span role="alert">{text}</span>
  </>
);

const composer = document.getElementById('composer');
const json = document.getElementById('composer-texts')?.textContent;
if (composer instanceof HTMLFormElement && json) new ComposerForm(composer, json).draw();
