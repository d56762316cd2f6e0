import { expect, test } from 'vitest';
import { carryOutRemedy, expectTrouble, readRemedy } from '../../test/findings.ts';
import { inspectConfig } from '../config/config.ts';
import { diagnose } from '../domain/doctor/diagnose.ts';
import { assembleExaminations } from './assemble-examinations.ts';

test('without settings, every missing one is a fault, and what needs it is not examined', async () => {
  const examinations = assembleExaminations(inspectConfig({ WAYBILL_SCAN: 'off' }));
  const findings = await diagnose(examinations);
  expect(findings).toContainEqual({
    check: 'configuration',
    status: 'fault',
    says: expect.stringMatching(/^WAYBILL_DATABASE_URL is not set/),
    remedy: expect.stringContaining('docs/configuration.md'),
  });
  const skipped = findings.filter(({ status }) => status === 'skipped').map(({ check }) => check);
  expect(skipped).toEqual(expect.arrayContaining(['postgres', 'valkey', 's3', 'keys', 'mail', 'proxy']));
});

test.each([
  ['a misspelt setting', { WAYBILL_TIMEZONE: 'UTC' }, 'WAYBILL_TIMEZONE is not a setting'],
  ['a time zone that does not exist', { WAYBILL_TIME_ZONE: 'Europe/Atlantis' }, 'WAYBILL_TIME_ZONE is the name'],
])('%s', async (_what, settings, says) => {
  const { problems } = inspectConfig(settings);
  const inspected = { values: {}, problems: problems.filter((problem) => problem.startsWith(says)) };
  await expectTrouble(assembleExaminations(inspected).configuration(), 'fault configuration');
});

test('a setting that is corrected is no fault any more', async () => {
  let settings: Record<string, string> = { WAYBILL_TIME_ZONE: 'Europe/Atlantis' };
  const examine = () => {
    const { problems } = inspectConfig(settings);
    const ours = problems.filter((problem) => problem.startsWith('WAYBILL_TIME_ZONE'));
    return assembleExaminations({ values: {}, problems: ours }).configuration();
  };
  await carryOutRemedy('configuration', examine, (remedy) => {
    readRemedy(remedy, /(Correct it in the environment file)/);
    settings = { WAYBILL_TIME_ZONE: 'Europe/Berlin' };
  });
});
