import { showLocalTimes } from '../../shared/islands/local-times.ts';

/** Waits this long for further events before the page is loaded again. */
const gatherMs = 250;
/** Loads the page again at most this often, however much happens in the account. */
const betweenMs = 2_000;
/** How long a hidden tab stays connected: browsers allow only six connections to a server, in all tabs together. */
const hiddenMs = 5_000;
/** How often the page is loaded again while there is no stream, because the network or a proxy has cut it off. */
const withoutStreamMs = 15_000;

/** An event as the server describes it: its type, and the drop, request or inbox entry that it belongs to. */
interface Hint {
  readonly type: string;
  readonly id?: string;
}

const main = document.querySelector<HTMLElement>('[data-events]');
const announcer = document.querySelector<HTMLElement>('[role=status][data-live]');
/** Without a cursor, the stream begins now. */
const freshHref = main?.dataset['events']?.split('?', 1)[0] ?? '';

let source: EventSource | undefined;
let hints: Hint[] = [];
let gathering: ReturnType<typeof setTimeout> | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;
let loadedAt = 0;
let loadCount = 0;
let isCutOff = false;
let hasEnded = false;

/** Says that the network is gone, before somebody sends a form and loses what they wrote. */
function showConnection(): void {
  const isOnline = navigator.onLine && !isCutOff;
  for (const banner of document.querySelectorAll<HTMLElement>('[data-shown-offline]')) {
    banner.hidden = isOnline || hasEnded;
  }
}

function show(state: { cutOff: boolean }): void {
  isCutOff = state.cutOff;
  showConnection();
}

/** Says that nobody is signed in any more; what was written stays on the page. */
function showEnd(): void {
  hasEnded = true;
  disconnect();
  showConnection();
  for (const banner of document.querySelectorAll<HTMLElement>('[data-shown-ended]')) {
    banner.hidden = false;
    banner.setAttribute('role', 'alert');
  }
}

/** Follows the events from a position; `isLate` if something may have happened before it that the page does not show. */
function connect(href: string, isLate: boolean): void {
  disconnect();
  const stream = new EventSource(href);
  source = stream;
  let mustCatchUp = isLate;
  stream.addEventListener('open', () => {
    show({ cutOff: false });
    if (mustCatchUp) void load([]);
    mustCatchUp = false;
  });
  stream.addEventListener('message', ({ data }) => gather(JSON.parse(String(data)) as Hint));
  stream.addEventListener('error', () => {
    // The browser connects again by itself, unless the server has refused.
    if (stream === source && stream.readyState === EventSource.CLOSED) void findReason();
  });
}

function disconnect(): void {
  source?.close();
  source = undefined;
}

/** Asks why the stream was refused. */
async function findReason(): Promise<void> {
  const asked = new AbortController();
  try {
    const { status } = await fetch(freshHref, {
      headers: { accept: 'text/event-stream' },
      signal: asked.signal,
    });
    // To a person who is no longer a member, the account does not exist.
    if (status === 401 || status === 404) showEnd();
  } catch {
    show({ cutOff: true });
  } finally {
    asked.abort();
  }
}

function gather(hint: Hint): void {
  hints.push(hint);
  const waitMs = Math.max(gatherMs, loadedAt + betweenMs - Date.now());
  gathering ??= setTimeout(() => {
    gathering = undefined;
    const gathered = hints;
    hints = [];
    if (findRegions(gathered).length > 0) void load(gathered);
  }, waitMs);
}

/**
 * The parts of the page that the events may have changed. `data-live` names beginnings of types or ids, or nothing for
 * all of them.
 */
function findRegions(events: readonly Hint[]): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-live][id]')].filter((region) => {
    const subjects = (region.dataset['live'] ?? '').split(' ').filter(Boolean);
    const concerns = ({ type, id }: Hint) =>
      subjects.length === 0 || subjects.some((subject) => subject === id || type.startsWith(subject));
    return events.length === 0 || events.some(concerns);
  });
}

/** Loads the page again, and changes the parts that the events may have changed. */
async function load(events: readonly Hint[]): Promise<void> {
  const count = (loadCount += 1);
  loadedAt = Date.now();
  let text: string;
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html,application/xhtml+xml' } });
    show({ cutOff: false });
    // Such as the result of a form, which cannot be loaded again; if nobody is signed in, the stream finds out.
    if (!response.ok || response.redirected) return;
    text = await response.text();
  } catch {
    show({ cutOff: true });
    return;
  }
  const next = new DOMParser().parseFromString(text, 'text/html');
  const before = readNewest();
  const changed = findRegions(events).filter((region) => replaceRegion(region, next, count));
  const received = events.some(({ type }) => type.startsWith('inbox'));
  if (changed.length === 0 || events.length === 0 || !announcer) return;
  const newest = readNewest();
  const said = announcer.dataset[received ? 'received' : 'changed'] ?? '';
  announcer.textContent = newest === undefined || newest === before ? said : newest;
}

/** The latest line in the history of what the page shows. */
function readNewest(): string | undefined {
  return document.querySelector('[data-newest]')?.textContent;
}

/** The content of each part when it was last loaded, and by which load. */
const shown = new WeakMap<HTMLElement, { readonly html: string; readonly count: number }>();

/** Returns whether the part has changed. A response that comes after that of a later load changes nothing. */
function replaceRegion(region: HTMLElement, page: Document, count: number): boolean {
  const next = page.getElementById(region.id);
  const last = shown.get(region);
  if (!next || (last && last.count > count)) return false;
  shown.set(region, { html: next.outerHTML, count });
  if (last?.html === next.outerHTML) return false;
  const focused = region.contains(document.activeElement) ? document.activeElement : null;
  const before = region.textContent;
  patchElement(region, next);
  showLocalTimes(region);
  // The keyboard goes on from here if the control that had the focus is gone.
  if (focused && !focused.isConnected) {
    region.tabIndex = -1;
    region.focus({ preventScroll: true });
  }
  return region.textContent !== before;
}

function showOrHide(): void {
  clearTimeout(hiding);
  if (document.visibilityState === 'hidden') hiding = setTimeout(disconnect, hiddenMs);
  else if (!source && !hasEnded) connect(freshHref, true);
}

/**
 * Makes an element like another one, and changes only what differs. What a person has typed, chosen, opened, selected or
 * focused stays, because the elements stay.
 */
function patchElement(current: Element, next: Element): void {
  patchAttributes(current, next);
  patchChildren(current, next);
}

/** Attributes that the browser or a script changes while a person uses the page. */
const ownAttributes: ReadonlySet<string> = new Set(['open', 'aria-expanded', 'aria-busy']);

function patchAttributes(current: Element, next: Element): void {
  for (const name of current.getAttributeNames()) {
    if (!ownAttributes.has(name) && !next.hasAttribute(name)) current.removeAttribute(name);
  }
  for (const name of next.getAttributeNames()) {
    const value = next.getAttribute(name) ?? '';
    if (!ownAttributes.has(name) && current.getAttribute(name) !== value) current.setAttribute(name, value);
  }
}

function patchChildren(current: Element, next: Element): void {
  const nextKeys = new Set([...next.children].map(getKey));
  const byKey = new Map([...current.children].map((child) => [getKey(child), child]));
  let place: ChildNode | null = current.firstChild;
  for (const wanted of next.childNodes) {
    const key = getKey(wanted);
    // An element that is gone makes room, so that those after it need not move: moving would take the focus away.
    while (place && getKey(place) !== undefined && !nextKeys.has(getKey(place))) place = removeAndStep(place);
    const known = key === undefined ? undefined : byKey.get(key);
    if (known && known !== place && known.nodeName === wanted.nodeName) current.insertBefore(known, place);
    const match: ChildNode | null = known ?? place;
    if (match && isSameKind(match, wanted)) {
      place = match.nextSibling;
      if (match instanceof Element) patchElement(match, wanted as Element);
      else if (match.nodeValue !== wanted.nodeValue) match.nodeValue = wanted.nodeValue;
    } else {
      current.insertBefore(document.importNode(wanted, true), place);
    }
  }
  while (place) place = removeAndStep(place);
}

function removeAndStep(node: ChildNode): ChildNode | null {
  const after = node.nextSibling;
  node.remove();
  return after;
}

/** The name of a row or region that stays the same when its content changes. */
function getKey(node: Node): string | undefined {
  if (!(node instanceof Element)) return undefined;
  return node.id || node.getAttribute('data-row') || undefined;
}

function isSameKind(one: Node, other: Node): boolean {
  return one.nodeName === other.nodeName && getKey(one) === getKey(other);
}

addEventListener('online', showConnection);
addEventListener('offline', showConnection);
showConnection();

if (main?.dataset['events']) {
  connect(main.dataset['events'], false);
  document.addEventListener('visibilitychange', showOrHide);
  // A page that the browser keeps for the way back must have no connection.
  addEventListener('pagehide', disconnect);
  addEventListener('pageshow', showOrHide);
  setInterval(() => {
    if (document.visibilityState === 'hidden' || hasEnded || source?.readyState === EventSource.OPEN) return;
    void load([]);
    if (source?.readyState === EventSource.CLOSED) connect(freshHref, true);
  }, withoutStreamMs);
}
