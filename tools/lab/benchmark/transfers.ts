import { execFile } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { peakMemoryMiB } from '../../../acceptance/sizes/process-memory.ts';
import { type SignedIn, seconds, signIn } from './client.ts';
import { startProgram } from './processes.ts';
import type { Release } from './release.ts';
import type { Rates, Result } from './report.ts';

const run = promisify(execFile);
const mebibyte = 1024 ** 2;
/** The files of all rounds together have to fit into the demo's store, which frees overwritten data only hours later. */
const largeMiB = 512;
/** Within the scanner's limit for one file. */
const scannedMiB = 20;

interface Options {
  readonly folder: string;
  readonly rounds: number;
  readonly progress: (what: string) => void;
}

/** Contenders take turns, so that other load on the machine affects all of them equally. */
export async function measureTransfers(
  releases: readonly Release[],
  { folder, rounds, progress }: Options,
): Promise<Result[]> {
  const [large, scanned] = [join(folder, 'bytes'), join(folder, 'scanned')];
  await writeRandomFile(large, largeMiB);
  await writeRandomFile(scanned, scannedMiB);
  const { bucket } = releases[0] as Release;
  await using pipe = await startTool('bare-pipe.ts', bucket);
  await using services = new AsyncDisposableStack();
  // The yardsticks do not scan.
  const unscanned = await Promise.all(releases.map((release) => open(release, services, { WAYBILL_SCAN: 'off' })));
  const scanning = await Promise.all(releases.map((release) => open(release, services, { WAYBILL_SCAN: 'required' })));

  const uploads: Record<string, () => Promise<number>> = {
    'bare pipe': () => seconds('-T', large, `${pipe.line}/bytes`),
    'SDK, parts of 8 MiB': () => sdk('parts', large, bucket),
    'SDK, one stream': () => sdk('put', large, bucket),
    ...byName(unscanned, ({ sender }) => upload(sender, large)),
  };
  const uploadRates = await measureInTurn(uploads, { rounds, unit: largeMiB, progress, what: 'upload' });
  for (const { sender, receiver, receiverName } of unscanned) {
    await sender.post('contacts_add.cgi', [{ email: receiverName }]);
    await sender.post('receivers_set.cgi', [{ email: receiverName }]);
    await sender.get('get_files.cgi');
    await sender.post('createdrop.cgi', {});
    await receiver.get('get_history.cgi');
  }
  const urls = new Map<string, string>();
  for (const { name, receiver, baseUrl, receiverName } of unscanned) {
    const { inbox } = JSON.parse(await receiver.get('get_history.cgi')) as { inbox: { url: string }[] };
    urls.set(name, `${baseUrl}/${receiverName}/${inbox[0]?.url}/files/bytes`);
  }
  const downloads: Record<string, () => Promise<number>> = {
    'bare pipe': () => seconds(`${pipe.line}/bytes`),
    'SDK, one stream': () => sdk('get', large, bucket),
    ...byName(unscanned, ({ name, receiver }) => receiver.seconds(urls.get(name) as string)),
  };
  const downloadRates = await measureInTurn(downloads, { rounds, unit: largeMiB, progress, what: 'download' });
  const scans = {
    'clamd alone': () => clamd(scanned),
    ...byName(scanning, ({ sender }) => upload(sender, scanned)),
  };
  const scanRates = await measureInTurn(scans, { rounds, unit: scannedMiB, progress, what: 'scanned upload' });
  return [
    { name: `upload of ${largeMiB} MiB`, unit: 'MiB/s', rates: uploadRates, memoryMiB: memory(unscanned) },
    { name: `download of ${largeMiB} MiB`, unit: 'MiB/s', rates: downloadRates },
    { name: `scanned upload of ${scannedMiB} MiB`, unit: 'MiB/s', rates: scanRates },
  ];
}

interface Service {
  readonly name: Release['name'];
  readonly pid: number;
  readonly baseUrl: string;
  readonly sender: SignedIn;
  readonly receiver: SignedIn;
  readonly receiverName: string;
}

async function open(release: Release, stack: AsyncDisposableStack, settings: Record<string, string>): Promise<Service> {
  const serve = stack.use(await release.serve(settings));
  const [sender, receiver] = release.accounts;
  return {
    name: release.name,
    pid: serve.pid,
    baseUrl: serve.baseUrl,
    sender: await signIn(serve.baseUrl, sender),
    receiver: await signIn(serve.baseUrl, receiver),
    receiverName: receiver.user,
  };
}

function upload(sender: SignedIn, file: string): Promise<number> {
  return sender.seconds('-F', 'do=upload', '-F', `file=@${file}`, sender.cgi('upload.cgi'));
}

async function measureInTurn(
  contenders: Record<string, () => Promise<number>>,
  { rounds, unit, progress, what }: { rounds: number; unit: number; progress: Options['progress']; what: string },
): Promise<Rates> {
  const rates: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const rate = unit / (await measure());
      (rates[name] ??= []).push(rate);
      progress(`${what}, round ${round + 1} of ${rounds}, ${name}: ${rate.toFixed(0)} MiB/s`);
    }
  }
  return rates;
}

function byName(
  services: readonly Service[],
  measure: (service: Service) => Promise<number>,
): Record<string, () => Promise<number>> {
  return Object.fromEntries(services.map((service) => [service.name, () => measure(service)]));
}

function memory(services: readonly Service[]): Record<string, number> {
  return Object.fromEntries(services.map(({ name, pid }) => [name, peakMemoryMiB(pid)]));
}

async function startTool(name: string, ...args: string[]) {
  return await startProgram(process.execPath, [join(import.meta.dirname, name), ...args], { sign: 'http' });
}

async function sdk(operation: string, file: string, bucket: string): Promise<number> {
  const args = [join(import.meta.dirname, 'sdk-transfer.ts'), operation, file, bucket];
  return Number((await run(process.execPath, args)).stdout);
}

async function clamd(file: string): Promise<number> {
  return Number((await run(process.execPath, [join(import.meta.dirname, 'clamd-scan.ts'), file])).stdout);
}

/** Incompressible bytes, generated without keeping them in memory. */
async function writeRandomFile(path: string, mebibytes: number): Promise<void> {
  const stream = createWriteStream(path);
  const noise = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
  const zeros = Buffer.alloc(mebibyte);
  for (let written = 0; written < mebibytes; written += 1) {
    if (!stream.write(noise.update(zeros))) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}
