import { expect, test } from 'vitest';
import { createTranslators } from '../../../present/texts/translator.ts';
import { describeNotice, findSettingsPart, isSettingsNotice } from './settings-notice.ts';

const translator = createTranslators({ fallback: 'en' }).for('en');

test('only the part that a notice is about shows it', () => {
  expect(findSettingsPart('passkey_added')).toBe('sign-in');
  expect(describeNotice(translator, 'passkey_added', 'sign-in')).toEqual({
    tone: 'good',
    text: 'The passkey is added. From now on you can sign in with it.',
  });
  expect(describeNotice(translator, 'passkey_added', 'profile')).toBeUndefined();
  expect(describeNotice(translator, undefined, 'profile')).toBeUndefined();
});

test.each(['', 'constructor', '__proto__', 'profile', 3, undefined])('%s is no notice', (name) => {
  expect(isSettingsNotice(name)).toBe(false);
});

test('profile_saved is a notice', () => {
  expect(isSettingsNotice('profile_saved')).toBe(true);
});
