/** Prints the cost of evidence to a dispatch, as the ratio of dispatches with evidence to those without. */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { percentile } from '../../shared/percentile.ts';
import { measureDispatches, type Times } from './dispatch-cost.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1000' },
    receivers: { type: 'string', default: '2' },
    files: { type: 'string', default: '1' },
  },
});
const [rounds = 0, receivers = 0, files = 0] = [options.rounds, options.receivers, options.files].map(Number);
if (!(rounds > 0 && receivers > 0 && files > 0)) {
  process.stderr.write('evidence-cost: a number is missing; see npm run lab -- evidence-cost --help\n');
  process.exit(64);
}
const readLoad = () => (loadavg()[0] ?? 0).toFixed(1);
const before = readLoad();
const times = await measureDispatches(rounds, { receivers, files });

/** The fastest tenth shows what other programs on the machine disturb least. */
const describe = (what: string, part: keyof Times) =>
  [0.1, 0.5].map((share) => {
    const [own, none] = [percentile(times.evidence[part], share), percentile(times.none[part], share)];
    return `${what}, ${share === 0.5 ? 'median' : 'fastest tenth'}: ${own.toFixed(2)} ms; ${(own / none).toFixed(3)} of that without evidence`;
  });
process.stdout.write(
  `${[
    `${rounds} rounds, ${receivers} receivers and ${files} files each; load ${before} to ${readLoad()}`,
    ...describe('receivers, file list, uploads and dispatch', 'all'),
    ...describe('the dispatch alone', 'last'),
  ].join('\n')}\n`,
);
