import { expect, test } from 'vitest';
import { collectFindings, expectTrouble } from '../../../test/findings.ts';
import { type AuditTarget, AuditTargetError } from './audit-target.ts';
import type { AuditTargetState } from './audit-target-store.ts';
import { examineAuditTargets } from './examine-audit-targets.ts';

const target = (probe: AuditTarget['probe'] = async () => undefined): AuditTarget => ({
  probe,
  send: () => Promise.reject(new Error('not sent to')),
  settleMs: 0,
  isLost: false,
  close: () => undefined,
});
const well: AuditTargetState = {
  name: 'syslog',
  position: { epoch: 1, transactionId: '1', sequence: 1 },
  deliveredAt: new Date(0),
  oldestWaitingAt: null,
  waitingSeconds: 0,
  waitingEntries: 0,
  failingSince: null,
  failure: null,
  remedy: null,
  refusedId: null,
};
const examine = (state: Partial<AuditTargetState> = {}, probe?: AuditTarget['probe']) =>
  examineAuditTargets(new Map([['syslog', target(probe)]]), [{ ...well, ...state }]);

test('nothing is wrong', async () => {
  const findings = await collectFindings(examine());
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual([
    'ok audit.reachable',
    'ok audit.delivery',
  ]);
});

test('a target that is out of reach, refuses, lags, or was never sent to', async () => {
  await expectTrouble(
    examine({}, () => Promise.reject(new Error('connect ECONNREFUSED'))),
    'fault audit.reachable',
  );
  await expectTrouble(examine({ failingSince: new Date(0), failure: 'The response was 403' }), 'fault audit.delivery');
  await expectTrouble(examine({ oldestWaitingAt: new Date(0), waitingSeconds: 301 }), 'warning audit.delivery');
  await expectTrouble(examineAuditTargets(new Map([['https', target()]]), [well]), 'warning audit.delivery');
});

test('without a database, the connection is still examined', async () => {
  const findings = await collectFindings(examineAuditTargets(new Map([['https', target()]]), undefined));
  expect(findings.map(({ check }) => check)).toEqual(['audit.reachable']);
});

test('the remedy is the one that belongs to the failure, and names the entry that is refused', async () => {
  const failing = {
    failingSince: new Date(0),
    failure: 'The response was 400',
    remedy: 'Look at its log.',
    refusedId: 'x',
  };
  const probe = () => Promise.reject(new AuditTargetError('connect ECONNREFUSED', 'Start it.'));
  const findings = await collectFindings(examine(failing, probe));
  expect(findings.map(({ remedy }) => remedy)).toEqual([
    'Start it.',
    'Look at its log. All other entries wait for the entry x. To send them without it: waybilld admin audit skip syslog x',
  ]);
});
