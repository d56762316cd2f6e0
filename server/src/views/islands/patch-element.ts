/**
 * Makes an element like another one, and changes only what differs. What a person has typed, chosen, opened, selected or
 * focused stays, because the elements stay.
 */
export function patchElement(current: Element, next: Element): void {
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
