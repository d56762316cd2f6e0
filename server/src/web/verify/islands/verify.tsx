import {
  listStatements,
  type Policy,
  type Problem,
  parsePolicy,
  type Statement,
  type Verdict,
  verifyReceipt,
} from '@waybill/evidence';
import { type ComponentChildren, type JSX, render } from 'preact';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import { TranslatorContext, useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Icon, type IconName } from '../../shared/components/icon.tsx';
import type { Tone } from '../../shared/components/tone.ts';
import { islandTranslator } from '../../shared/islands/island-translator.ts';
import { factTexts, problemTexts } from './verdict-texts.ts';

/** Larger files are not read. */
const maxBytes = 64 * 1024 * 1024;

function start(form: HTMLFormElement, shown: HTMLElement, translator: ViewTranslator): void {
  const picker = form.elements.namedItem('receipt') as HTMLInputElement;
  const trust = form.elements.namedItem('trust') as HTMLTextAreaElement;
  let dropped: File | undefined;
  let runs = 0;

  const show = (part: JSX.Element) => {
    render(<TranslatorContext.Provider value={translator}>{part}</TranslatorContext.Provider>, shown);
    shown.scrollIntoView({ block: 'nearest' });
  };
  const verify = async () => {
    const file = dropped ?? picker.files?.[0];
    runs += 1;
    const run = runs;
    // Nothing of the file before remains under another name, whatever happens to this one.
    render(null, shown);
    if (!file) return show(<Banner tone="bad">{translator.t('verify.noFile')}</Banner>);
    let policy: Policy;
    try {
      policy = readTrust(trust.value);
    } catch (error) {
      const reason = oneLine((error as Error).message);
      return show(<Banner tone="bad">{translator.t('verify.badTrust', { reason })}</Banner>);
    }
    if (file.size > maxBytes) return show(<Banner tone="bad">{translator.t('verify.tooLarge')}</Banner>);
    show(<p role="status">{translator.t('verify.working')}</p>);
    const verdict = await file
      .arrayBuffer()
      .then((bytes) => verifyReceipt(new Uint8Array(bytes), policy))
      .catch(() => undefined);
    // Another file may have been chosen meanwhile, or other keys.
    if (run !== runs) return;
    if (!verdict) return show(<Banner tone="bad">{translator.t('verify.unreadable')}</Banner>);
    show(<VerdictView name={file.name} verdict={verdict} />);
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void verify();
  });
  picker.addEventListener('change', () => {
    dropped = undefined;
    void verify();
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    dropped = event.dataTransfer?.files[0];
    if (dropped) void verify();
  });
}

/** Accepts a policy, or the key of a log alone. */
function readTrust(text: string): Policy {
  const isKey = /^\S+\+[0-9a-f]{8}\+\S+$/.test(text.trim());
  return parsePolicy(isKey ? `log ${text.trim()}\nquorum none\n` : `${text.trimEnd()}\n`);
}

/** The verdict at a glance, and below it what is proven and what is not. */
function VerdictView({ name, verdict: { facts, problems } }: { name: string; verdict: Verdict }): JSX.Element {
  const translator = useTranslator();
  const isReceipt = !problems.some(({ code }) => code === 'no_receipt');
  const [tone, title, text] = facts
    ? (['good', 'verify.proven', 'verify.provenText'] as const)
    : isReceipt
      ? (['bad', 'verify.unproven', 'verify.unprovenText'] as const)
      : (['warn', 'verify.noReceipt', 'verify.noReceiptText'] as const);
  return (
    <section class="stack">
      <Banner tone={tone}>
        <strong>{translator.t(title)}</strong> {translator.t(text)}
      </Banner>
      <p>
        <bdi>{oneLine(name)}</bdi>
      </p>
      {facts ? <Statements statements={listStatements(facts)} /> : <Problems problems={problems} />}
    </section>
  );
}

const groups = [
  ['verify.doubtfulHeading', ['doubtful']],
  ['verify.provenHeading', ['proven']],
  ['verify.unprovenHeading', ['absent', 'unknown']],
] as const satisfies readonly [string, readonly Statement['mark'][]][];

const marks = {
  proven: ['check', 'good'],
  absent: ['info', 'quiet'],
  doubtful: ['alert', 'warn'],
  unknown: ['question', 'quiet'],
} as const satisfies Record<Statement['mark'], [IconName, Tone]>;

function Statements({ statements }: { statements: readonly Statement[] }): JSX.Element {
  const translator = useTranslator();
  return (
    <>
      {groups.map(([heading, marked]) => {
        const own = statements.filter(({ mark }) => marked.some((one) => one === mark));
        if (own.length === 0) return null;
        return (
          <section key={heading}>
            <h2>{translator.t(heading)}</h2>
            <ul class="verdict">
              {own.map((statement, place) => (
                <Line key={place} mark={marks[statement.mark]}>
                  {say(translator, statement)}
                </Line>
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}

/** Each kind of problem once. The details are for experts, and in English as those of the command. */
function Problems({ problems }: { problems: readonly Problem[] }): JSX.Element {
  const translator = useTranslator();
  return (
    <ul class="verdict">
      {[...Map.groupBy(problems, ({ code }) => code)].map(([code, found]) => (
        <Line key={code} mark={['close', 'bad']}>
          {translator.t(problemTexts[code])}
          {found.map(({ message }, place) => (
            <span key={place} class="verdict-detail small quiet" lang="en">
              {oneLine(message)}
            </span>
          ))}
        </Line>
      ))}
    </ul>
  );
}

function Line({ mark, children }: { mark: [IconName, Tone]; children: ComponentChildren }): JSX.Element {
  const [icon, tone] = mark;
  return (
    <li>
      <span class={`verdict-mark tone-${tone}`}>
        <Icon name={icon} small />
      </span>
      <span>{children}</span>
    </li>
  );
}

/** Says a statement in the language of the page, with times to the second: an expert compares them with other records. */
function say(translator: ViewTranslator, { code, values, times }: Statement): string {
  const format = new Intl.DateTimeFormat(translator.locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: 'UTC',
  });
  const params: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(values)) params[name] = typeof value === 'number' ? value : isolate(value);
  for (const [name, time] of Object.entries(times)) params[name] = format.format(new Date(time));
  if (values['channel'] === 'mail') params['channel'] = translator.t('verify.channel.mail');
  if (values['channel'] === 'sms') params['channel'] = translator.t('verify.channel.sms');
  return translator.t(factTexts[code], params);
}

const form = document.querySelector<HTMLFormElement>('#verify');
const shown = document.querySelector<HTMLElement>('#verdict');
const texts = document.querySelector('#verify-texts');
if (form && shown && texts) start(form, shown, islandTranslator(texts.textContent ?? '{}'));
// Addresses of the server lead nowhere from a copy on a disk.
if (location.protocol === 'file:') document.querySelector('.foot')?.remove();
