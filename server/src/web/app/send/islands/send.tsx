import '../../islands/frame.ts';
import type { SecondFactor } from '../../../../domain/policy.ts';
import { isolate } from '../../../../present/texts/plain.ts';
import type { ViewTranslator } from '../../../../present/texts/translator-context.ts';
import { islandTranslator } from '../../../shared/islands/island-translator.ts';
import type { ReceiverState } from '../../islands/composer-receivers.tsx';
import { drawPart } from '../../islands/draw-part.tsx';
import { type MountedReceivers, mountReceivers } from '../../islands/mount-receivers.tsx';
import { describePhones } from '../../shared/phone-problem.ts';
import { ComposerBar, type ComposerKind, type Fault } from '../composer-bar.tsx';
import { ComposerPreview, type PreviewOperator } from '../composer-preview.tsx';
import { phoneFields } from '../composer-values.ts';
import { listPhoneRows, PhoneRows } from '../phone-rows.tsx';
import {
  type FieldValues,
  readDeadline,
  readField,
  readFields,
  readLastDay,
  readPhones,
  readSentFiles,
  restoreFields,
  takeSharedText,
} from './composer-fields.ts';
import { type ComposerFiles, type FilesState, mountFiles, noFiles } from './composer-files.tsx';
import { type ComposerProblems, focusFault, mountProblems } from './composer-problems.tsx';
import { drawOtherDraft } from './other-draft.tsx';
import { type MountedWanted, mountWanted } from './wanted-list.tsx';

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
  /** Only of a form that sends. */
  readonly #files: ComposerFiles | undefined;
  /** Only of a form that asks. */
  readonly #wanted: MountedWanted | undefined;
  readonly #kind: ComposerKind;
  readonly #operator: PreviewOperator;
  /** The faults of single people, once "Send" was pressed. */
  #people: ReadonlyMap<string, string> = new Map();
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
    this.#kind = form.dataset['kind'] === 'ask' ? 'ask' : 'send';
    this.#operator = JSON.parse(form.dataset['operator'] ?? '{}') as PreviewOperator;
    const phones = document.getElementById('composer-phones');
    this.#restored = readFields(form);
    const hadPhoneProblems = phones?.querySelector('[aria-invalid=true]') !== null;
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
    this.#wanted = mountWanted(form, this.#translator, () => this.#drawRest());
    const isShared = takeSharedText(form);
    // Before the files, which send the form: it is checked first.
    form.addEventListener('submit', (event) => this.#submit(event));
    this.#files = this.#kind === 'send' ? this.#mountFiles(isShared) : undefined;
    this.#filesState = this.#files?.state ?? noFiles;
    if (!this.#files) void this.#receivers.addNamed().then(() => hadPhoneProblems && this.#showPhones());
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
        isFilled:
          readSentFiles(this.#form).length > 0 ||
          [readField(this.#form, 'receiver'), readField(this.#form, 'message')].some((text) => text.trim() !== ''),
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
      onRefused: ({ message, field = '', people = {} }) => {
        this.#people = new Map(Object.entries(people));
        if (this.#people.size > 0) this.#showPhones();
        else this.#refuse(field, message);
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
    return JSON.stringify([
      receivers.map(({ email }) => email),
      unreadable,
      readFields(this.#form),
      readSentFiles(this.#form),
    ]);
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
    this.#people = new Map();
    await this.#files?.begun;
    await this.#receivers.commit();
    const { receivers, unreadable } = this.#receivers.state;
    const isAsking = this.#kind === 'ask';
    const fileCount = this.#filesState.files.length + readSentFiles(this.#form).length;
    const hasContent = isAsking || fileCount > 0 || readField(this.#form, 'message').trim() !== '';
    this.#people = this.#findPhoneProblems();
    if (unreadable[0] !== undefined) {
      say(translator.t('composer.problem.unreadable', { text: isolate(unreadable[0]) }));
      focusFault('receiver', 'receiver-fix-0');
    } else if (receivers.length === 0 && readField(this.#form, 'who') !== 'anybody')
      this.#refuse('receiver', translator.t('composer.problem.nobody'));
    else if (!hasContent) this.#refuse('files', translator.t('composer.problem.nothing'));
    else if (this.#people.size > 0) this.#showPhones();
    else {
      this.#isChecked = true;
      this.#form.requestSubmit();
      this.#isChecked = false;
    }
  }

  #refuse(field: string, text: string): void {
    this.#problems.show(field, text);
    if (field === '') document.getElementById('composer-problem')?.scrollIntoView({ block: 'center' });
    else focusFault(field);
    say(text);
  }

  /** Shows the faults of single people at their fields, and goes to the first. */
  #showPhones(): void {
    if (this.#people.size === 0) this.#people = this.#findPhoneProblems();
    this.draw();
    const first = this.#findFirstPhone();
    if (first === undefined) return;
    focusFault('phone', phoneFields(first).phone);
    say(this.#people.get(first) ?? '');
  }

  #findFirstPhone(): string | undefined {
    return listPhoneRows(this.#receivers.state.receivers).find(({ email }) => this.#people.has(email))?.email;
  }

  get #isBySms(): boolean {
    return readField(this.#form, 'second_factor') === 'sms';
  }

  #phoneState() {
    const place = document.getElementById('composer-phones');
    const canChooseMail = this.#form.querySelector('[name=second_factor][value=mail]') !== null;
    const { phones, byMail } = readPhones({ ...this.#restored, ...readFields(this.#form) });
    const { receivers } = this.#receivers.state;
    return { receivers, phones, byMail, canChooseMail, callingCode: place?.dataset['callingCode'] };
  }

  /** The numbers that are missing of those who have a row; the others without a number get their code by mail. */
  #findPhoneProblems(): ReadonlyMap<string, string> {
    if (!this.#isBySms) return new Map();
    const state = this.#phoneState();
    const receivers = state.canChooseMail ? listPhoneRows(state.receivers) : state.receivers;
    return describePhones(this.#translator, { ...state, receivers });
  }

  draw(): void {
    this.#drawPhones();
    this.#drawRest();
  }

  #drawPhones(): void {
    // A fault goes as soon as it is corrected.
    const now = this.#findPhoneProblems();
    this.#people = new Map([...this.#people].flatMap(([email]) => [...now].filter(([other]) => other === email)));
    drawPart(
      this.#translator,
      this.#isBySms && <PhoneRows {...this.#phoneState()} problems={this.#people} />,
      document.getElementById('composer-phones'),
    );
  }

  /** The first fault that can be seen in the form, for the bar. */
  #findFault(): Fault | undefined {
    const translator = this.#translator;
    const { unreadable } = this.#receivers.state;
    if (unreadable.length > 0) {
      return { href: '#receiver-fix-0', text: translator.t('composer.fault.addresses', { count: unreadable.length }) };
    }
    const first = this.#findFirstPhone();
    if (first === undefined) return undefined;
    const text = translator.t('composer.fault.phones', { count: this.#people.size });
    return { href: `#${encodeURIComponent(phoneFields(first).phone)}`, text };
  }

  /** How many get their code by SMS, and how many by mail. */
  #countCodes(): { sms: number; mail: number } | undefined {
    if (!this.#isBySms) return undefined;
    const { receivers, byMail } = this.#phoneState();
    const mail = receivers.filter(({ email }) => byMail.has(email)).length;
    return { sms: receivers.length - mail, mail };
  }

  /** Draws the bar at the lower edge, and the preview. */
  #drawRest(): void {
    const { senderName = '', senderAddress = '' } = this.#form.dataset;
    const { files, totalBytes, sentBytes } = this.#filesState;
    const sentAgain = readSentFiles(this.#form);
    const againBytes = sentAgain.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const message = readField(this.#form, 'message');
    const notify = readField(this.#form, 'notify') !== 'links';
    const wanted = this.#wanted?.names ?? [];
    const { receivers } = this.#receivers.state;
    drawPart(
      this.#translator,
      <ComposerBar
        kind={this.#kind}
        receiverCount={receivers.length}
        hasMessage={message.trim() !== ''}
        notify={notify}
        wantedCount={wanted.length}
        fault={this.#findFault()}
        progress={{
          ...this.#filesState,
          fileCount: files.length + sentAgain.length,
          totalBytes: totalBytes + againBytes,
          sentBytes: sentBytes + againBytes,
        }}
        onCancel={() => this.#files?.cancel()}
      />,
      document.getElementById('send-bar'),
    );
    drawPart(
      this.#translator,
      <ComposerPreview
        kind={this.#kind}
        view={document.querySelector('.preview [value=mail]:checked') ? 'mail' : 'page'}
        sender={{ name: senderName, address: senderAddress }}
        operator={this.#operator}
        origin={location.origin}
        content={{
          files: [
            ...sentAgain,
            ...files
              .filter(({ isStopped }) => !isStopped)
              .map(({ name, path, sizeBytes }) => ({ name: path ?? name, sizeBytes })),
          ],
          message,
          title: readField(this.#form, 'title').trim(),
          wanted,
          reusable: readField(this.#form, 'reusable') !== '0',
        }}
        until={readLastDay(this.#form, this.#translator.locale)}
        deadline={readDeadline(this.#form, new Date())}
        to={receivers[0]?.email}
        secondFactor={readField(this.#form, 'second_factor') as SecondFactor}
        codes={this.#countCodes()}
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

const composer = document.getElementById('composer');
const json = document.getElementById('composer-texts')?.textContent;
if (composer instanceof HTMLFormElement && json) new ComposerForm(composer, json).draw();
