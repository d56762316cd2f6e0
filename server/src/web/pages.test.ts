import { gzipSync } from 'node:zlib';
import { eventTypes } from '@waybill/protocol/v1';
import { describe, expect, test } from 'vitest';
import { plainOperator } from '../../test/plain-operator.ts';
import { readStylesheet } from '../../test/read-stylesheet.ts';
import { type Foreign, hostile, type PageState, pageStates } from '../../test/view-states.tsx';
import { createTranslators, type Translator } from '../present/texts/translator.ts';
import { languageLinks, renderPage } from './shared/render-page.tsx';

const all = createTranslators({ fallback: 'en' });
const english = all.for('en');

function html(translator: Translator, state: PageState): string {
  return renderPage(translator, {
    title: state.title,
    page: state.page,
    layout: state.layout,
    languageLinks: languageLinks(all, '/d/page'),
    stylesheet: '/assets/pages.css',
    operator: plainOperator,
  });
}

function findState(name: string, foreign?: Foreign): PageState {
  const found = pageStates(english, foreign)[name];
  if (!found) throw new Error(`There is no state ${name}.`);
  return found;
}

/** They look like the keys of texts. */
const eventTypePattern = new RegExp(`\\b(?:${eventTypes.join('|')})\\b`, 'g');

describe.each(all.languages.map(({ language }) => language))('in %s', (language) => {
  const translator = all.for(language);

  test.each(Object.entries(pageStates(translator)))(
    '%s is a whole page without style or script in it',
    (name, state) => {
      const page = html(translator, state);
      expect(page).toMatch(new RegExp(`^<!doctype html><html lang="${language}" dir="ltr">`));
      const tags = page.match(/<[a-z][^>]*>/gi)?.join('\n');
      expect(tags).not.toMatch(/\sstyle=|<style|\son[a-z]+=|="javascript:|<script(?! type="application\/json")/i);
      expect(page.match(/<h1[ >]/g)).toHaveLength(1);
      expect(page.match(/<main[ >]/g)).toHaveLength(1);
      expect(page).toContain('<meta name="referrer" content="no-referrer"/>');
      if (name === 'download-hostile') return;
      // A key on the page means a missing text, and a placeholder a missing value.
      const said = page
        .replace(/<script.*<\/script>/s, '')
        .replace(/<[^>]*>/g, '\n')
        .replace(eventTypePattern, '');
      expect(said).not.toMatch(
        /\b(?:common|landing|confirm|code|download|upload|sent|gone|error|frame|signIn|settings|list|sentList|delivery|inbox|requests|contacts)\.[a-z]+|\{\{/,
      );
    },
  );
});

test.each(Object.entries(pageStates(english)))('%s has no empty stub of a ticket', (_, state) => {
  expect(html(english, state)).not.toMatch(/<div class="ticket-do">\s*<\/div>/);
});

describe('text of other people is escaped', () => {
  const states = pageStates(english, hostile);

  test.each(Object.entries(states))('%s', (_, state) => {
    const page = html(english, state);
    expect(page).not.toMatch(/<(?:script(?! type="application\/json")|img|iframe|style)|<svg onload/i);
    expect(page).not.toContain('\u202E');
  });

  test('literally', () => {
    const page = html(english, findState('download-some', hostile));
    expect(page).toContain('&quot;>&lt;script>alert(1)&lt;/script>');
    expect(page).toContain('{{7*7}} ${7*7} $t(common.from)');
    expect(page.replaceAll(/<\/?span[^>]*>/g, '')).toMatch(
      /<bdi class="file-own-name">title>&lt;svg onload=alert\(3\)>\uFFFDfdp.exe \{\{sender}} 😀 تقرير.pdf<\/bdi>/,
    );
    expect(page).toContain('&lt;iframe src=javascript:alert(4)>');
  });
});

describe('the download page', () => {
  const page = html(english, findState('download-some'));
  const files = page.match(/class="file"/g)?.length ?? 0;

  test('has every file with its digest, and all files as one ZIP', () => {
    for (const part of [
      'href="/d/files/0"',
      'href="/d/files/3"',
      'href="/d/all.zip"',
      'photos.zip',
      '9f86d081884c7d65',
    ]) {
      expect(page).toContain(part);
    }
    const [, template = ''] = /<template>(.*?)<\/template>/s.exec(page) ?? [];
    expect(template).toMatch(/^<span class="done">.*Downloaded<\/span>$/);
    expect(page.split(template)).toHaveLength(3);
  });

  test('has all checksums in one place, to select, copy or download', () => {
    const [verify = ''] = /<details class="verify small">.*<\/details>/s.exec(page) ?? [];
    expect(verify.match(/<code dir="ltr">9f86d081884c7d65\w+<\/code>/g)).toHaveLength(files);
    expect(verify.match(/9f86d081884c7d65\w+<\/code><button[^>]* hidden data-copy/g)).toHaveLength(files);
    expect(verify).toContain('href="/d/SHA256SUMS"');
    expect(page.replace(verify, '')).not.toContain('9f86d081884c7d65');
  });

  test('of many files closes the folders, except where there is something to report', () => {
    const sixty = html(english, findState('download-sixty'));
    const folders = [
      ...sixty.matchAll(/<details class="folder"( open)?>.*?<span class="folder-name">(.*?)<span class="done/gs),
    ];
    expect(folders.map(([, open, name]) => [name?.replace(/<[^>]+>/g, ''), open !== undefined])).toEqual([
      ['Certificates', true],
      ['Drawings/2nd floor', false],
      ['Electrical', false],
      ['Photos', false],
      ['3 November', false],
      ['4 November', false],
    ]);
    // Beside the line of each folder, because a link inside a button could not be reached.
    expect(
      sixty.match(
        /<div class="folder-line"><div class="folder-actions"><a [^>]*href="\/d\/folders\/\d+\.\d" download/g,
      ),
    ).toHaveLength(6);
    expect(sixty.match(/<summary>.*?<\/summary>/gs)?.join()).not.toContain('<a ');
  });

  test('says once that nothing was found, and at a file only what differs', () => {
    const sixty = html(english, findState('download-sixty'));
    expect(sixty).toContain('59 scanned for viruses: nothing found. <a href="#file-5">1 not scanned</a>');
    expect(sixty).toContain('id="file-5"');
    expect(sixty.match(/Not scanned for viruses/g)).toHaveLength(1);
    expect(html(english, findState('download-done')).match(/Scanned for viruses: nothing found/g)).toHaveLength(1);
  });

  test('has one main action, and none when everything is downloaded', () => {
    for (const name of ['download-one', 'download-some', 'download-sixty', 'download-sixty-begun']) {
      expect([name, html(english, findState(name)).match(/button-main/g)]).toEqual([name, ['button-main']]);
    }
    const done = html(english, findState('download-done'));
    expect(done).not.toContain('button-main');
    expect(done).toContain('You have downloaded all 3 files from Acme Plant 2');
    expect(done).toContain('Download again');
  });

  test('is light: less than 60 kB with its stylesheet, even with 200 files', () => {
    const many = html(english, findState('download-many'));
    expect(many.length).toBeLessThan(240_000);
    const stylesheet = readStylesheet('pages');
    expect(stylesheet).toContain('--accent');
    expect(page.length + stylesheet.length).toBeLessThan(60_000);
    expect(gzipSync(many).length + gzipSync(stylesheet).length).toBeLessThan(30_000);
  });

  test('folds the end of a long message, and keeps all of it', () => {
    const long = html(english, findState('download-some', { ...hostile, message: `${'word '.repeat(400)}end.` }));
    expect(long).toContain('Show the rest of the message');
    expect(long.match(/\bword\b/g)).toHaveLength(400);
    expect(long).toContain('end.');
  });
});

describe('the pages of people with an account', () => {
  const states = Object.entries(pageStates(english)).filter(([, { layout }]) => layout !== undefined);

  test.each(states)(
    '%s is light: less than 40 kB with its stylesheets, which leaves 20 for its scripts',
    (_, state) => {
      const parts = /id="(?:composer|receivers)"/.test(html(english, state)) ? (['composer'] as const) : [];
      const names = ['pages', state.layout ?? 'app', ...parts] as const;
      const stylesheets = names.map((name) => gzipSync(readStylesheet(name)).length);
      const weight = stylesheets.reduce((sum, size) => sum + size, gzipSync(html(english, state)).length);
      expect(weight).toBeGreaterThan(5000);
      expect(weight).toBeLessThan(40_000);
    },
  );

  test('sign in by links of providers, and by forms that carry the token and the next page', () => {
    const page = html(english, findState('sign-in'));
    expect(page).toContain('<a href="/sign-in/with/acme" class="button button-quiet">');
    expect(page).toContain('<form method="post" action="/sign-in" class="sign-in-fields">');
    expect(page).toContain('<input type="hidden" name="csrftoken" value="a1b2c3"/>');
    expect(page).toContain('<input type="hidden" name="next" value="/maya.lindqvist@acme.example/sent"/>');
    expect(page).toContain('autocomplete="username webauthn"');
  });

  test('say the same about an address that is known and one that is not', () => {
    const page = html(english, findState('recovery-requested'));
    expect(page).toContain('If somebody with the address');
    expect(page).not.toContain('<form');
  });

  test('do not offer to remove the only sign-in method', () => {
    expect(html(english, findState('settings-person'))).toContain('settings/password/remove');
    const only = html(english, findState('settings-person-password'));
    expect(only).not.toContain('settings/password/remove');
    expect(only).toContain('This is your only way to sign in.');
  });

  test('offer to change members and defaults to owners only', () => {
    expect(html(english, findState('settings-account'))).toContain('settings/members/role');
    const reader = html(english, findState('settings-account-reader'));
    expect(reader).not.toMatch(/settings\/members\//);
    expect(reader).toContain('<fieldset disabled');
  });
});

describe('the forms', () => {
  const page = (name: string) => html(english, findState(name));

  test('need no script', () => {
    expect(page('landing-download')).toContain('<form method="post" action="/d/open" data-gesture="pressed" ');
    expect(page('landing-download')).toContain('<input type="hidden" name="pressed" value/>');
    expect(page('upload')).toContain('<form method="post" action="/u/plain" enctype="multipart/form-data"');
    expect(page('code-sms')).toMatch(
      /<input(?=[^>]* name="code")(?=[^>]* inputmode="numeric")(?=[^>]* autocomplete="one-time-code")/i,
    );
  });

  test('a used-up code has no field, and after too many codes there is no button for more', () => {
    expect(page('code-expired')).not.toContain('name="code"');
    expect(page('code-too-many-tries')).not.toContain('name="code"');
    expect(page('code-too-many-codes')).toContain('name="code"');
    expect(page('code-too-many-codes')).not.toContain('/d/code/new');
    expect(page('code-wrong')).toContain('You have 3 tries left.');
  });

  test('a form that was rejected says why at its top, and keeps the input', () => {
    const refused = page('upload-problem-too-many-files');
    expect(refused).toMatch(/<form[^>]*><div class="banner tone-bad" id="problem" role="alert">/);
    expect(refused).toContain('No more than 200 files can be sent. Choose fewer and send again.');
    expect(refused).toMatch(/<input(?=[^>]* name="file")(?=[^>]* aria-describedby="problem file-hint")/);
    expect(refused).toMatch(/<textarea[^>]*>Hello,\n/);
    expect(page('upload-problem-too-large')).toContain('A file is larger than 100 MB');
    expect(page('upload')).toMatch(/<textarea[^>]*><\/textarea>/);
  });

  test('the texts for the script cannot end their element', () => {
    const [, json = ''] =
      /<script type="application\/json" id="upload-words">(.*?)<\/script>/s.exec(page('upload')) ?? [];
    expect(json).not.toContain('<');
    expect(JSON.parse(json)).toMatchObject({ language: 'en', locale: 'en-GB', dir: 'ltr' });
  });
});

test('the language switcher links to the same page in every language', () => {
  const page = html(english, findState('gone-expired'));
  expect(page).toContain('<a href="/d/page?lang=sv" lang="sv" hreflang="sv">Svenska</a>');
  expect(page.match(/aria-current="true"/g)).toHaveLength(1);
});
