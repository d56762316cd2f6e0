import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { plainOperator } from '../../../test/plain-operator.ts';
import { readStylesheet } from '../../../test/read-stylesheet.ts';
import { pageStates } from '../../../test/view-states.tsx';
import { formatters } from '../../present/texts/format.ts';
import { createTranslators } from '../../present/texts/translator.ts';
import { renderPage } from '../shared/render-page.tsx';

const english = createTranslators({ fallback: 'en' }).for('en');
const states = pageStates(english);

function html(name: string): string {
  const state = states[name];
  if (!state) throw new Error(`There is no state ${name}.`);
  return renderPage(english, {
    ...state,
    script: undefined,
    languageLinks: [],
    stylesheet: '',
    operator: plainOperator,
  });
}

const lists = Object.keys(states).filter((name) => name.startsWith('app-'));

test.each(lists)('%s has the token in every form that changes something, and no form in another', (name) => {
  const page = html(name);
  const forms = page.match(/<form.*?<\/form>/gs) ?? [];
  for (const form of forms) {
    expect(form.slice(1)).not.toContain('<form');
    if (/^<form[^>]* method="post"/.test(form)) expect(form).toContain('name="csrftoken"');
    // The third kind closes a dialog and sends nothing.
    else expect(form).toMatch(/^<form[^>]* method="(?:get" action="|dialog")/);
  }
  // A button outside of a form does nothing without a script.
  expect(page.replace(/<form.*?<\/form>/gs, '')).not.toMatch(/<button[^>]* (?:type="submit"|formaction=)/i);
});

test.each(lists)('%s has every id once', (name) => {
  const ids = [...html(name).matchAll(/ id="([^"]+)"/g)].map((match) => match[1]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

describe('a list', () => {
  test('is changed by buttons of its form, of which Enter in a checkbox presses none', () => {
    const [form = ''] = /<form class="list-form".*?<\/form>/s.exec(html('app-sent')) ?? [];
    expect(form.match(/<button[^>]*>/)?.[0]).toBe('<button type="submit" disabled hidden>');
    expect(form).toMatch(/formaction="\/maya\.lindqvist@acme\.example\/sent\/[^"]+\/remind"/i);
    expect(form.match(/<input type="checkbox" name="id"/g)).toHaveLength(12);
  });

  test('of a reader has no actions', () => {
    for (const name of ['app-sent-reader', 'app-requests-reader', 'app-contacts-reader', 'app-delivery-reader']) {
      expect(html(name).split('id="main"')[1], name).not.toMatch(/formaction|type="checkbox"|do=revoke|edit=|remove=/i);
    }
  });

  test('does not offer links where the rules forbid to show them', () => {
    expect(html('app-sent')).toContain('do=link');
    expect(html('app-sent-no-links')).not.toContain('do=link');
  });

  test('keeps the filter in its search, and the search in its filters', () => {
    const page = html('app-sent-no-links');
    expect(page).toContain('<input type="hidden" name="part" value="underway"/>');
    expect(page).toContain('href="/maya.lindqvist@acme.example/sent?part=done&amp;by=me"');
  });
});

test('what destroys something states its consequences and counts before', () => {
  const all = html('app-delivery-revoke');
  expect(all).toContain('2 people who don’t have everything yet will not get the rest.');
  expect(all).toContain('Kim Park has downloaded everything');
  expect(all).toContain('You can undo this for 10 minutes.');
  expect(all).toContain('Revoke for 3 people');
  expect(html('app-delivery-revoke-one')).toContain('<input type="hidden" name="receiver" value="2"/>');
  expect(html('app-requests-close')).toContain('3 people who have sent nothing yet can no longer send.');
  expect(html('app-contacts-remove')).toContain('7 contacts are removed and cannot be brought back.');
});

test('the longest list is light: less than 60 kB with its stylesheets', () => {
  const styles = (['pages', 'app'] as const).map((name) => gzipSync(readStylesheet(name)).length);
  const total = styles.reduce((sum, bytes) => sum + bytes, gzipSync(html('app-sent-many')).length);
  expect(total).toBeLessThan(40_000);
});

test('times in lists are as short as they can be, in the time zone of the reader', () => {
  const now = new Date('2026-11-16T23:30:00Z');
  const stockholm = formatters('en-GB', 'Europe/Stockholm');
  const utc = formatters('en-GB', 'UTC');
  const evening = new Date('2026-11-16T20:05:00Z');
  expect(utc.formatDay(evening, now)).toBe('20:05');
  expect(stockholm.formatDay(evening, now)).toBe('yesterday');
  expect(stockholm.formatDayTime(evening, now)).toBe('yesterday, 21:05');
  expect(utc.formatDayGroup(evening, now)).toBe('today');
  expect(stockholm.formatDayGroup(evening, now)).toBe('yesterday');
  expect(utc.formatDayGroup(new Date('2026-10-31T00:10:00Z'), now)).toBe('October 2026');
  expect(utc.formatDay(new Date('2026-11-17T00:10:00Z'), now)).toBe('tomorrow');
  expect(utc.formatDayTime(new Date('2026-11-14T08:05:00Z'), now)).toBe('14 Nov, 08:05');
  expect(utc.formatDay(new Date('2025-11-16T20:05:00Z'), now)).toBe('16 Nov 2025');
});
