import { describeVerdict, type Policy, parsePolicy, type Verdict, verifyReceipt } from '@waybill/evidence';
import { type JSX, render } from 'preact';
import { Banner } from '../components/banner.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import type { Tone } from '../components/tone.ts';
import { TranslatorContext, useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { oneLine } from '../plain.ts';
import { islandTranslator } from './island-translator.ts';

/** Larger files are not read. */
const maxBytes = 64 * 1024 * 1024;

function start(form: HTMLFormElement, shown: HTMLElement, translator: ViewTranslator): void {
  const picker = form.elements.namedItem('receipt') as HTMLInputElement;
  const trust = form.elements.namedItem('trust') as HTMLTextAreaElement;
  let dropped: File | undefined;

  const show = (part: JSX.Element) => {
    render(<TranslatorContext.Provider value={translator}>{part}</TranslatorContext.Provider>, shown);
    shown.scrollIntoView({ block: 'nearest' });
  };
  const verify = async () => {
    const file = dropped ?? picker.files?.[0];
    if (!file) return show(<Banner tone="bad">{translator.t('verify.noFile')}</Banner>);
    let policy: Policy;
    try {
      policy = readTrust(trust.value);
    } catch (error) {
      const reason = oneLine((error as Error).message);
      return show(<Banner tone="bad">{translator.t('verify.badTrust', { reason })}</Banner>);
    }
    if (file.size > maxBytes) return show(<Banner tone="bad">{translator.t('verify.tooLarge')}</Banner>);
    const bytes = await file.arrayBuffer().catch(() => undefined);
    if (!bytes) return show(<Banner tone="bad">{translator.t('verify.unreadable')}</Banner>);
    show(<VerdictView name={file.name} verdict={await verifyReceipt(new Uint8Array(bytes), policy)} />);
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

/** The verdict at a glance, and below it what is proven and what is not. The facts are in English, as in the receipt. */
function VerdictView({ name, verdict }: { name: string; verdict: Verdict }): JSX.Element {
  const translator = useTranslator();
  const [tone, title, text] = verdict.isValid
    ? (['good', 'verify.proven', 'verify.provenText'] as const)
    : (['bad', 'verify.unproven', 'verify.unprovenText'] as const);
  return (
    <section class="stack">
      <Banner tone={tone}>
        <strong>{translator.t(title)}</strong> {translator.t(text)}
      </Banner>
      <h2>
        <bdi>{oneLine(name)}</bdi>
      </h2>
      <ul class="verdict" lang="en">
        {describeVerdict(verdict)
          .slice(1)
          .map((line, place) => (
            <Statement key={place} line={oneLine(line)} isProven={verdict.isValid} />
          ))}
      </ul>
    </section>
  );
}

/** A line of the verdict: proven, doubtful or not known. Its text says which. */
function Statement({ line, isProven }: { line: string; isProven: boolean }): JSX.Element {
  const [icon, tone]: [IconName, Tone] = !isProven
    ? ['close', 'bad']
    : line.startsWith('Not known:')
      ? ['question', 'quiet']
      : line.startsWith('Doubtful:')
        ? ['alert', 'warn']
        : line.startsWith('No event ')
          ? ['info', 'quiet']
          : ['check', 'good'];
  return (
    <li>
      <span class={`verdict-mark tone-${tone}`}>
        <Icon name={icon} small />
      </span>
      <span>{line}</span>
    </li>
  );
}

const form = document.querySelector<HTMLFormElement>('#verify');
const shown = document.querySelector<HTMLElement>('#verdict');
const texts = document.querySelector('#verify-texts');
if (form && shown && texts) start(form, shown, islandTranslator(texts.textContent ?? '{}'));
// Addresses of the server lead nowhere from a copy on a disk.
if (location.protocol === 'file:') document.querySelector('.foot')?.remove();
