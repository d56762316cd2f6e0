import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { KnownReceiver } from '../../../domain/contacts/contact-store.ts';
import type { NearMiss } from '../../../domain/contacts/near-miss.ts';
import type { UnderstoodReceivers } from '../../../domain/contacts/read-receivers.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button, IconButton } from '../../shared/components/button.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { Avatar } from '../components/avatar.tsx';
import {
  findAddressFault,
  findDomain,
  isAddress,
  isList,
  type PeopleService,
  type Suggestions,
} from './composer-people.ts';

/** The content of the field. */
export interface ReceiverState {
  readonly receivers: readonly KnownReceiver[];
  /** Texts that are no receivers; they stay until they are corrected or removed. */
  readonly unreadable: readonly string[];
  /** Addresses that are probably meant to be others. */
  readonly nearMisses: readonly NearMiss[];
}

export const noReceivers: ReceiverState = { receivers: [], unreadable: [], nearMisses: [] };

type Option =
  | { readonly kind: 'person'; readonly person: KnownReceiver }
  | { readonly kind: 'group'; readonly name: string; readonly size: number };

const noSuggestions: Suggestions = { people: [], groups: [] };
const typingPauseMs = 120;
const listId = 'receiver-options';
const shownPasted = 50;

let isPointerDown = false;
window.addEventListener('pointerdown', () => (isPointerDown = true), true);
for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, () => (isPointerDown = false), true);

/** Receivers as chips, with a field that completes names, addresses and groups, and understands a list that is pasted. */
export function ReceiverField(props: {
  state: ReceiverState;
  onChange: (change: (state: ReceiverState) => ReceiverState) => void;
  people: PeopleService;
  say: (text: string) => void;
  isInvalid: boolean;
  /** Takes what is still typed; called before the form is sent. */
  onReady: (commit: () => Promise<void>) => void;
  /** Called with work that may add receivers when the server responds. */
  track: (work: Promise<void>) => void;
}): JSX.Element {
  const translator = useTranslator();
  const { state, people, say } = props;
  const [text, setText] = useState('');
  const [suggestions, setSuggestions] = useState<Suggestions>(noSuggestions);
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const [pasted, setPasted] = useState<UnderstoodReceivers | undefined>();
  /** The text that was just refused, which is to be corrected next. */
  const [fixing, setFixing] = useState<string | undefined>();
  const input = useRef<HTMLInputElement>(null);

  const there = new Set(state.receivers.map(({ email }) => email));
  const options: Option[] = [
    ...suggestions.groups.map((group) => ({ kind: 'group', ...group }) as const),
    ...suggestions.people
      .filter(({ email }) => !there.has(email))
      .map((person) => ({ kind: 'person', person }) as const),
  ];
  const isShown = isOpen && options.length > 0;
  const chosen = isShown ? options[active] : undefined;
  const nearMisses = state.nearMisses.filter(({ email }) => there.has(email));

  useEffect(() => {
    if (!isOpen) return undefined;
    const ended = new AbortController();
    const suggest = async () => {
      const found = await people.suggest(text.trim(), ended.signal);
      if (ended.signal.aborted) return;
      setSuggestions(found);
      setActive(-1);
      const count = found.people.length + found.groups.length;
      if (count > 0 && text.trim() !== '') say(translator.t('composer.suggested', { count }));
    };
    const timer = setTimeout(() => void suggest(), typingPauseMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [text, isOpen]);

  const take = (understood: Omit<UnderstoodReceivers, 'repeated'>) => {
    const { receivers } = understood;
    props.onChange((before) => addReceivers(before, understood));
    if (receivers.length > 0) {
      say(translator.t('composer.added', { name: receivers.map(nameReceiver).slice(0, 3).join(', ') }));
    }
  };
  const commitText = async (typed: string) => {
    const written = typed.trim();
    setText('');
    setOpen(false);
    if (written === '') return;
    // At once, so that nobody waits for the network to see it; the server's reply completes it.
    if (isAddress(written)) {
      take({
        receivers: [{ email: written.toLowerCase(), name: '', hasPhone: false }],
        unreadable: [],
        nearMisses: [],
      });
    }
    const understood = await people.understand(written);
    props.onChange((before) => {
      const known = new Set(before.receivers.map(({ email }) => email));
      // Removed meanwhile.
      if (isAddress(written) && !known.has(written.toLowerCase())) return before;
      return addReceivers(before, understood);
    });
    // A person who goes on to another field is not called back.
    if (understood.unreadable.length > 0 && document.activeElement === input.current)
      setFixing(understood.unreadable[0]);
  };
  const commit = (typed: string) => props.track(commitText(typed));
  props.onReady(() => commitText(input.current?.value ?? ''));

  const choose = (option: Option) => props.track(takeOption(option));
  const takeOption = async (option: Option) => {
    setText('');
    setOpen(false);
    input.current?.focus();
    if (option.kind === 'person') return take({ receivers: [option.person], unreadable: [], nearMisses: [] });
    const members = await people.membersOf(option.name);
    // A group whose members are not known stays to be seen: it must not be left out in silence.
    const unreadable = members ? [] : [option.name];
    return take({ receivers: members ?? [], unreadable, nearMisses: [] });
  };
  const remove = (index: number) => {
    const removed = state.receivers[index];
    if (!removed) return;
    props.onChange((before) => ({
      ...before,
      receivers: before.receivers.filter(({ email }) => email !== removed.email),
    }));
    say(translator.t('composer.removed', { name: nameReceiver(removed) }));
    input.current?.focus();
  };
  const removeUnreadable = (word: string) => {
    props.onChange((before) => ({ ...before, unreadable: before.unreadable.filter((each) => each !== word) }));
    input.current?.focus();
  };
  /** Takes the corrected text; one that is still none stays where it is. */
  const correct = async (word: string, corrected: string, isDone: boolean) => {
    const written = corrected.trim();
    if (written === '') return removeUnreadable(word);
    if (written === word && !isDone) return;
    const understood = await people.understand(written);
    props.onChange((before) => {
      const at = before.unreadable.indexOf(word);
      if (at < 0) return before;
      return addReceivers(
        { ...before, unreadable: before.unreadable.toSpliced(at, 1, ...understood.unreadable) },
        {
          ...understood,
          unreadable: [],
        },
      );
    });
    if (isDone && understood.unreadable.length === 0) input.current?.focus();
  };
  const replace = ({ email, meant }: NearMiss) => {
    props.onChange((before) => {
      const isThere = before.receivers.some((receiver) => receiver.email === meant);
      return {
        ...before,
        receivers: before.receivers.flatMap((receiver) => {
          if (receiver.email !== email) return [receiver];
          return isThere ? [] : [{ ...receiver, email: meant }];
        }),
        nearMisses: before.nearMisses.filter((each) => each.email !== email),
      };
    });
    void people.understand(meant).then((understood) => props.onChange((before) => addReceivers(before, understood)));
    input.current?.focus();
  };
  const keep = ({ email }: NearMiss) => {
    props.onChange((before) => ({ ...before, nearMisses: before.nearMisses.filter((each) => each.email !== email) }));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const { key } = event;
    if ((key === 'ArrowDown' || key === 'ArrowUp') && options.length > 0) {
      event.preventDefault();
      setOpen(true);
      const step = key === 'ArrowDown' ? 1 : -1;
      setActive((active + step + (active < 0 && step < 0 ? 1 : 0) + options.length) % options.length);
    } else if (key === 'Escape' && isShown) {
      event.preventDefault();
      setOpen(false);
    } else if (key === 'Enter' && chosen) {
      event.preventDefault();
      choose(chosen);
    } else if (key === 'Enter' && text.trim() !== '') {
      event.preventDefault();
      const [first] = options;
      // A name that is not finished means the first suggestion.
      if (isShown && first && !isAddress(text.trim())) choose(first);
      else commit(text);
    } else if ((key === ',' || key === ';') && text.trim() !== '') {
      event.preventDefault();
      commit(text);
    } else if (key === 'Backspace' && input.current && isAtStart(input.current)) {
      event.preventDefault();
      const lastUnreadable = state.unreadable.at(-1);
      if (lastUnreadable === undefined) remove(state.receivers.length - 1);
      else removeUnreadable(lastUnreadable);
    }
  };
  const onPaste = async (event: ClipboardEvent) => {
    const content = event.clipboardData?.getData('text/plain') ?? '';
    if (!isList(content)) return;
    event.preventDefault();
    setOpen(false);
    setPasted(await people.understand(content));
    say(translator.t('composer.pasted'));
  };
  /** Takes an address that was typed, but not while a button is being pressed: the chip would move it from under the pointer. */
  const onBlur = () => {
    setOpen(false);
    const takeTyped = () => {
      const typed = input.current?.value ?? '';
      if (document.activeElement !== input.current && isAddress(typed.trim())) commit(typed);
    };
    if (!isPointerDown) takeTyped();
    else window.addEventListener('pointerup', () => setTimeout(takeTyped), { once: true });
  };

  return (
    <>
      <div class="combobox">
        <div class="chips" onClick={(event) => event.target === event.currentTarget && input.current?.focus()}>
          {state.receivers.map((receiver, index) => (
            <Chip
              key={receiver.email}
              receiver={receiver}
              isNearMiss={nearMisses.some(({ email }) => email === receiver.email)}
              onRemove={() => remove(index)}
            />
          ))}
          {state.unreadable.map((word, index) => (
            <ChipInPlace
              key={index}
              index={index}
              word={word}
              isNew={word === fixing}
              onCorrect={(corrected, isDone) => props.track(correct(word, corrected, isDone))}
              onRemove={() => removeUnreadable(word)}
            />
          ))}
          <input
            ref={input}
            id="receiver-input"
            type="text"
            role="combobox"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            inputmode="email"
            aria-labelledby="receiver-label"
            aria-autocomplete="list"
            aria-expanded={isShown ? 'true' : 'false'}
            aria-controls={listId}
            aria-activedescendant={chosen && `${listId}-${active}`}
            aria-invalid={props.isInvalid ? 'true' : undefined}
            aria-describedby="receiver-problem"
            placeholder={state.receivers.length === 0 ? translator.t('composer.toHint') : undefined}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setActive(-1);
              setOpen(true);
            }}
            // The list would hide the text that says what is wrong.
            onFocus={() => setOpen(!document.getElementById('receiver-problem')?.textContent)}
            onBlur={onBlur}
            onKeyDown={onKeyDown}
            onPaste={(event) => void onPaste(event)}
          />
        </div>
        <ul
          class="combobox-list"
          id={listId}
          role="listbox"
          aria-label={translator.t('composer.suggestions')}
          hidden={!isShown}
        >
          {isShown &&
            options.map((option, index) => (
              <li
                key={option.kind === 'group' ? `group ${option.name}` : option.person.email}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === active ? 'true' : 'false'}
                // The field keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                <OptionContent option={option} />
              </li>
            ))}
        </ul>
      </div>
      {state.unreadable.map((word, index) => (
        <p key={index} class="field-problem" id={`receiver-fix-${index}-text`} role="alert">
          <Icon name="alert" small />
          <span>{explainUnreadable(translator, word)}</span>
        </p>
      ))}
      {nearMisses.slice(0, 3).map((miss) => (
        <NearMissNote key={miss.email} miss={miss} onReplace={() => replace(miss)} onKeep={() => keep(miss)} />
      ))}
      {pasted && (
        <PastedList
          pasted={pasted}
          there={there}
          onAdd={() => {
            take({ ...pasted, unreadable: [] });
            setPasted(undefined);
            input.current?.focus();
          }}
          onDiscard={() => {
            setPasted(undefined);
            input.current?.focus();
          }}
        />
      )}
    </>
  );
}

/** Nothing is selected, and nothing stands before the caret. */
function isAtStart({ selectionStart, selectionEnd }: HTMLInputElement): boolean {
  return selectionStart === 0 && selectionEnd === 0;
}

function Chip(props: { receiver: KnownReceiver; isNearMiss: boolean; onRemove: () => void }): JSX.Element {
  const translator = useTranslator();
  const { receiver, isNearMiss } = props;
  const name = isNearMiss ? oneLine(receiver.email) : nameReceiver(receiver);
  return (
    <span class={`chip${isNearMiss ? ' chip-near' : ''}`}>
      {isNearMiss ? <Icon name="alert" small /> : <Avatar name={name} small />}
      <bdi class="chip-name" title={oneLine(receiver.email)}>
        {name}
      </bdi>
      <IconButton icon="close" label={translator.t('action.remove', { name })} onClick={props.onRemove} />
    </span>
  );
}

/** A refused text, as a field in the place of its chip. */
function ChipInPlace(props: {
  index: number;
  word: string;
  /** Whether it was refused just now. */
  isNew: boolean;
  /** `isDone` if the person says so, and not only leaves the field. */
  onCorrect: (text: string, isDone: boolean) => void;
  onRemove: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const { word } = props;
  const id = `receiver-fix-${props.index}`;
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (props.isNew) field.current?.focus();
  }, [props.isNew]);
  return (
    <span class="chip chip-field">
      <input
        ref={field}
        id={id}
        type="text"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        inputmode="email"
        size={Math.min(40, Math.max(12, word.length))}
        value={word}
        aria-label={translator.t('composer.correct', { text: oneLine(word) })}
        aria-invalid="true"
        aria-describedby={`${id}-text`}
        // The form would take it as a change of its own.
        onInput={(event) => event.stopPropagation()}
        onChange={(event) => event.stopPropagation()}
        onBlur={(event) => props.onCorrect(event.currentTarget.value, false)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          props.onCorrect(event.currentTarget.value, true);
        }}
      />
      <IconButton
        icon="close"
        label={translator.t('action.remove', { name: oneLine(word) })}
        onClick={props.onRemove}
      />
    </span>
  );
}

function explainUnreadable(translator: ViewTranslator, word: string): string {
  const text = isolate(oneLine(word));
  const fault = findAddressFault(word.trim());
  if (fault === 'noEnding')
    return translator.t('composer.fault.noEnding', { domain: isolate(findDomain(word.trim())) });
  return translator.t(fault === 'noAt' ? 'composer.fault.noAt' : 'composer.fault.address', { text });
}

function NearMissNote(props: { miss: NearMiss; onReplace: () => void; onKeep: () => void }): JSX.Element {
  const translator = useTranslator();
  const { email, meant } = props.miss;
  const isDomain = findDomain(email) !== findDomain(meant);
  const [written, known] = isDomain ? [findDomain(email), findDomain(meant)] : [email, meant];
  return (
    <div class="near-miss" role="status">
      <p>
        <Icon name="alert" small />{' '}
        {translator.t('composer.nearMiss', { written: isolate(oneLine(written)), known: isolate(oneLine(known)) })}
      </p>
      <div class="actions">
        <Button type="button" onClick={props.onReplace}>
          {translator.t('composer.nearMiss.use', { known: isolate(oneLine(known)) })}
        </Button>
        <Button type="button" look="plain" onClick={props.onKeep}>
          {translator.t('composer.nearMiss.keep')}
        </Button>
      </div>
    </div>
  );
}

function OptionContent({ option }: { option: Option }): JSX.Element {
  const translator = useTranslator();
  if (option.kind === 'group') {
    return (
      <>
        <Avatar name={option.name} shared small />
        <span class="combobox-text">
          <bdi>{oneLine(option.name)}</bdi>
          <small class="quiet">{translator.t('composer.groupSize', { count: option.size })}</small>
        </span>
      </>
    );
  }
  const { person } = option;
  return (
    <>
      <Avatar name={nameReceiver(person)} small />
      <span class="combobox-text">
        <bdi>{nameReceiver(person)}</bdi>
        {person.name !== '' && (
          <small class="quiet">
            <bdi>{oneLine(person.email)}</bdi>
          </small>
        )}
      </span>
    </>
  );
}

/** Shows how a pasted list was understood, before anyone of it is added. */
function PastedList(props: {
  pasted: UnderstoodReceivers;
  there: ReadonlySet<string>;
  onAdd: () => void;
  onDiscard: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const { receivers, repeated, unreadable } = props.pasted;
  const added = receivers.filter(({ email }) => !props.there.has(email));
  const known = [...receivers.filter(({ email }) => props.there.has(email)).map(({ email }) => email), ...repeated];
  const list = (texts: readonly string[]) => texts.slice(0, 10).map(oneLine).join(', ');
  return (
    <section class="pasted" aria-label={translator.t('composer.pasted')}>
      <h3>{translator.t('composer.pasted')}</h3>
      {added.length > 0 && (
        <ul>
          {added.slice(0, shownPasted).map((receiver) => (
            <li key={receiver.email}>
              <bdi>{nameReceiver(receiver)}</bdi>
              {receiver.name !== '' && (
                <span class="quiet">
                  {' '}
                  <bdi>{receiver.email}</bdi>
                </span>
              )}
            </li>
          ))}
          {added.length > shownPasted && (
            <li class="quiet">{translator.t('composer.morePeople', { count: added.length - shownPasted })}</li>
          )}
        </ul>
      )}
      {known.length > 0 && <p class="quiet">{translator.t('composer.repeated', { addresses: list(known) })}</p>}
      {unreadable.length > 0 && (
        <p class="field-problem">{translator.t('composer.notUnderstood', { parts: list(unreadable) })}</p>
      )}
      <div class="actions">
        {added.length > 0 && (
          <Button type="button" icon="plus" onClick={props.onAdd}>
            {translator.t('composer.addThem', { count: added.length })}
          </Button>
        )}
        <Button type="button" look="plain" onClick={props.onDiscard}>
          {translator.t('composer.discard')}
        </Button>
      </div>
    </section>
  );
}

function nameReceiver({ name, email }: Pick<KnownReceiver, 'name' | 'email'>): string {
  return oneLine(name) || oneLine(email);
}

/** Adds those who are not there; of those who are, what became known meanwhile is kept. */
export function addReceivers(
  before: ReceiverState,
  { receivers, unreadable, nearMisses }: Omit<UnderstoodReceivers, 'repeated'>,
): ReceiverState {
  const all = new Map(before.receivers.map((receiver) => [receiver.email, receiver]));
  for (const { email, name, hasPhone } of receivers) {
    const earlier = all.get(email);
    all.set(email, { email, name: name || (earlier?.name ?? ''), hasPhone: hasPhone || (earlier?.hasPhone ?? false) });
  }
  const misses = new Map([...before.nearMisses, ...nearMisses].map((miss) => [miss.email, miss]));
  return {
    receivers: [...all.values()],
    unreadable: [...new Set([...before.unreadable, ...unreadable])],
    nearMisses: [...misses.values()],
  };
}
