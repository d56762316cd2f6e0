import { createHash } from 'node:crypto';
import { readIdEnd, toReference } from '../../src/domain/reference.ts';

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const reference = /^WB-[0-9A-Z]{4}-[0-9A-Z]{4}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The day of the recorded story. */
const day = Date.UTC(2030, 0, 31);
/** The reference that documents show for a drop. */
const ends: Readonly<Record<string, string | undefined>> = { createDrop: readIdEnd('WB-7F3K-29QD') };

/** Values of fields that are secret, opaque or measured. */
const fixed: Readonly<Record<string, unknown>> = {
  hint: 'wb_3fK9',
  api_key: 'wb_3fK9…',
  secret: 'whsec_…',
  text: 'Acme Orders has sent you a file …',
  session: 'wbl_Vb1sT7yQe0mWc4Kx9Jd2LnRz8GpHf3uAoY6iXkN5tEg',
  link: 'https://files.example.org/d/hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA',
  next_cursor: 'eyJhIjoxNzQyfQ',
  duration_ms: 84,
  instance: 'urn:waybill:http-request:2bf29d-5c0e8a71b94d23f6',
  salt: '…',
};
const fixedEntries: Readonly<Record<string, string>> = { public_keys: 'whpk_…', checkpoints: '…', proof: '…' };

/**
 * Gives ids and times the values that they have in the recorded examples, the same in every response. An id gets its value
 * from the step in which it first appears, and a chapter has its own hour, so that a new step changes little else.
 */
export class ExchangeNames {
  readonly #known = new Map<string, string>();
  readonly #steps: {
    readonly name: string;
    readonly startMs: number;
    readonly shownMs: number;
    readonly hour: number;
  }[] = [];
  #idsOfStep = 0;
  #hour = 0;
  #minute = 0;

  /** Begins a chapter at this hour; its steps are a minute apart. */
  beginChapter(hour: number): void {
    this.#hour = hour;
    this.#minute = 0;
  }

  begin(name: string): void {
    const shownMs = day + (this.#hour * 60 + this.#minute) * minuteMs;
    this.#minute += 1;
    this.#steps.push({ name, startMs: Date.now(), shownMs, hour: this.#hour });
    this.#idsOfStep = 0;
  }

  /** Shows a text of this run, such as the address of a server, as another. */
  add(text: string, shown: string): void {
    this.#known.set(text, shown);
  }

  apply(value: unknown, field = ''): unknown {
    if (value === null) return null;
    if (field in fixed && !(typeof value === 'string' && this.#known.has(value))) return fixed[field];
    const entry = fixedEntries[field];
    if (Array.isArray(value)) return value.map((inner) => entry ?? this.apply(inner));
    if (typeof value === 'object') {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.apply(inner, key)]));
    }
    if (typeof value !== 'string') return value;
    return time.test(value) ? this.#toTime(value) : this.applyToText(value);
  }

  applyToText(text: string): string {
    for (const id of text.match(uuid) ?? []) this.#addId(id);
    if (reference.test(text) && !this.#known.has(text)) this.#known.set(text, toReference(this.#nextId('7')));
    return [...this.#known].reduce((shown, [known, name]) => shown.replaceAll(known, name), text);
  }

  #addId(id: string): void {
    if (this.#known.has(id)) return;
    const shown = this.#nextId(id.charAt(14));
    this.#known.set(id, shown);
    this.#known.set(toReference(id), toReference(shown));
  }

  /** An id of the current step, of this version. */
  #nextId(version: string): string {
    const { name, hour } = this.#current();
    const hash = createHash('sha256').update(`${name} ${this.#idsOfStep}`).digest('hex');
    const end = (this.#idsOfStep === 0 ? ends[name] : undefined) ?? hash.slice(5, 15);
    this.#idsOfStep += 1;
    const ms = (day + hour * 60 * minuteMs).toString(16).padStart(12, '0');
    return `${ms.slice(0, 8)}-${ms.slice(8)}-${version}${hash.slice(0, 3)}-8${hash.slice(3, 5)}0-00${end}`;
  }

  /** A past time is that of its step. A time to come is as many days after a step, or else as long after the current one. */
  #toTime(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const [ms, now] = [Date.parse(text), Date.now()];
    // The client chose it.
    if (ms > now + 366 * dayMs) return text;
    const days = Math.max(0, Math.ceil((ms - now) / dayMs - 1));
    const past = ms - days * dayMs > now ? ms - (days + 1) * dayMs : ms - days * dayMs;
    const step = this.#steps.findLast(({ startMs }) => startMs <= past);
    const current = this.#current();
    const aheadMs = Math.round((ms - current.startMs) / minuteMs) * minuteMs;
    const shown = new Date(step ? step.shownMs + (ms - past) : current.shownMs + aheadMs).toISOString();
    this.#known.set(text, shown);
    return shown;
  }

  #current() {
    const step = this.#steps.at(-1);
    if (!step) throw new Error('the story has not begun');
    return step;
  }
}
