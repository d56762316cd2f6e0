import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reason, skipped, warning } from '../../domain/doctor/finding.ts';
import type { Scanner, Verdict } from '../../domain/ports/scanner.ts';
import { readVersion, toBuildTime } from './connection.ts';
import { clamdScanner } from './scanner.ts';

export interface ClamdExamination {
  readonly address: string;
  /** The largest file that we promise to scan. */
  readonly maxBytes: number;
  readonly now?: () => number;
}

const responseMs = 3_000;
const verdictMs = 30_000;
const dayMs = 86_400_000;
const staleDays = 3;
const obsoleteDays = 14;
/** The oldest that Waybill is tested with. */
const oldestTested = [1, 4] as const;
/** More would take longer than an operator waits. */
const maxProbeBytes = 256 * 1024 ** 2;
const piece = Buffer.alloc(1024 ** 2);

/** In two parts, so that no scanner takes this program for it. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
/** A ZIP with a password, from a file that contains “hello”. */
const encryptedZip = Buffer.from(
  'UEsDBAoACQAAAC9Eb12GphA2EQAAAAUAAAAJABwAY2xlYW4udHh0VVQJAANabvlqWm75anV4CwABBAAAAAAEAAAAAKZ6IPquvyzYCAi9qCm82idAUEsHCIamEDYRAAAABQAAAFBLAQIeAwoACQAAAC9Eb12GphA2EQAAAAUAAAAJABgAAAAAAAEAAACkgQAAAABjbGVhbi50eHRVVAUAA1pu+Wp1eAsAAQQAAAAABAAAAABQSwUGAAAAAAEAAQBPAAAAZAAAAAAA',
  'base64',
);

export async function* examineClamd({ address, maxBytes, now = Date.now }: ClamdExamination): AsyncGenerator<Finding> {
  let version: string;
  try {
    version = await readVersion(address, responseMs);
  } catch (error) {
    const remedy = `Start it (\`systemctl start clamav-daemon\`), or correct WAYBILL_CLAMD. On Debian, it is skipped while it has no signatures: ${update} Waybill’s user needs access to the socket.`;
    yield fault('clamd.reachable', `clamd is out of reach: ${reason(error)}.`, remedy);
    return;
  }
  const [program = ''] = version.split('/');
  const builtAt = toBuildTime(version);
  yield ok('clamd.reachable', `${program} responds.`);
  yield* age(program);
  yield signatures(builtAt, now());
  const scanner = clamdScanner({ address, maxBytes, verdictMs });
  yield detection(await verdictOn(scanner, [Buffer.from(eicar)]));
  yield await size(scanner);
  yield encryption(await verdictOn(scanner, [encryptedZip]));
}

function* age(program: string): Generator<Finding> {
  const [major = 0, minor = 0] = /\d+\.\d+/.exec(program)?.[0].split('.').map(Number) ?? [];
  if (major > oldestTested[0] || (major === oldestTested[0] && minor >= oldestTested[1])) return;
  const says = `${program} is older than the versions Waybill is tested with, and may get no signatures any more.`;
  yield warning('clamd.version', says, `Upgrade ClamAV to ${oldestTested.join('.')} or later.`);
}

/** A second freshclam fails while the service runs, which downloads what is new when it starts. */
const update =
  'have new ones downloaded with `systemctl restart clamav-freshclam`; `journalctl -u clamav-freshclam` shows when it is done, or why it fails.';
const updateDaily = `On Debian, ${update} \`systemctl enable clamav-freshclam\` has it run after every boot.`;

function signatures(builtAt: Date | undefined, now: number): Finding {
  if (builtAt === undefined) {
    return warning(
      'clamd.signatures',
      'clamd has no official signatures, or does not say how old they are.',
      updateDaily,
    );
  }
  const days = Math.floor((now - builtAt.getTime()) / dayMs);
  const says = `clamd’s signatures are ${days} days old.`;
  if (days < staleDays) return ok('clamd.signatures', says);
  return days < obsoleteDays
    ? warning('clamd.signatures', says, updateDaily)
    : fault('clamd.signatures', says, updateDaily);
}

async function verdictOn(scanner: Scanner, pieces: Iterable<Buffer>): Promise<Verdict> {
  const scan = scanner.begin('stored');
  for (const bytes of pieces) {
    if (scan.early) break;
    await scan.write(bytes);
  }
  return scan.verdict();
}

function detection(verdict: Verdict): Finding {
  if (verdict.result === 'infected') return ok('clamd.detection', 'clamd finds the EICAR test virus.');
  const remedy = `On Debian, ${update} Then run \`systemctl restart clamav-daemon\`, and look at the log of clamd.`;
  return fault('clamd.detection', 'clamd does not find the EICAR test virus.', remedy);
}

/** clamd cannot be asked for its limits, so it gets a file of that size. */
async function size(scanner: Scanner): Promise<Finding> {
  const bytes = Math.min(scanner.maxBytes, maxProbeBytes);
  const verdict = await verdictOn(scanner, zeros(bytes));
  const what = `a file of ${bytes} bytes`;
  if (verdict.result === 'clean') return ok('clamd.size', `clamd scans ${what}.`);
  const remedy =
    'Raise StreamMaxLength, MaxScanSize and MaxFileSize in clamd.conf to at least WAYBILL_SCAN_MAX_BYTES, or lower WAYBILL_SCAN_MAX_BYTES.';
  return fault('clamd.size', `clamd does not scan ${what}.`, remedy);
}

function* zeros(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

function encryption(verdict: Verdict): Finding {
  if (verdict.result === 'unscanned' && verdict.why === 'encrypted') {
    return ok('clamd.encrypted', 'clamd reports encrypted files it cannot read.');
  }
  if (verdict.result !== 'clean') return skipped('clamd.encrypted', 'clamd gave no verdict on an encrypted file.');
  const says = 'clamd reports an archive with a password, which it cannot read, as clean.';
  return warning('clamd.encrypted', says, 'Set AlertEncrypted yes in clamd.conf, and restart clamd.');
}
