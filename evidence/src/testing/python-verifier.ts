import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parsePolicy, verifyReceipt } from '../index.ts';

/** Of the example in docs/evidence.md. */
const policy = readFileSync(new URL('../../../docs/examples/receipt-policy.txt', import.meta.url), 'utf8');

/** Judges many files in one process, because starting Python takes longer than verifying. */
const program = `
import base64, sys
sys.path.insert(0, sys.argv[1])
from verify_receipt import Policy, Refused, check_event, read_canonical, read_time_stamp, verify_receipt
policy = Policy(sys.argv[2])
def verify(data):
    verify_receipt(data, policy)
    return "proven"
def read(data):
    digest, at = read_time_stamp(data)
    return f"{digest.hex()} {at[:19]}"
def check(data):
    check_event(read_canonical(data))
    return "complete"
judge = {"verify": verify, "read": read, "check": check}[sys.argv[3]]
for line in sys.stdin:
    try:
        print(judge(base64.b64decode(line)))
    except Refused:
        print("refused")
`;

export function runPython(
  command: 'verify' | 'read' | 'check',
  files: readonly Uint8Array[],
  trust = policy,
): string[] {
  const folder = new URL('../../python/', import.meta.url).pathname;
  const input = files.map((file) => `${Buffer.from(file).toString('base64')}\n`).join('');
  const parameters = ['-B', '-c', program, folder, trust, command];
  const { stdout, stderr } = spawnSync('python3', parameters, { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

export const verifyByPython = (receipts: readonly Uint8Array[], trust = policy) =>
  runPython('verify', receipts, trust).map((verdict) => verdict === 'proven');

export async function verifyHere(receipts: readonly Uint8Array[], trust = policy): Promise<boolean[]> {
  const verdicts = await Promise.all(receipts.map((receipt) => verifyReceipt(receipt, parsePolicy(trust))));
  return verdicts.map(({ isValid }) => isValid);
}
