// An upgrade under load and back again, one process at a time behind HAProxy: the previous version serves while the
// schema is migrated and afterwards, then alongside this one, then this one serves alone, and then the previous version
// again, on the schema of this one. No request fails.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkOut } from '../../tools/lab/benchmark/release.ts';
import { check } from '../checker/checker.ts';
import { laneSettings } from '../checker/lane.ts';
import { type Program, thisProgram } from '../lib/servers/own-serve.ts';
import { ownStorage } from '../lib/servers/own-storage.ts';
import { Installation } from './installation.ts';
import { Load } from './load.ts';

const previousCommit = process.env['WAYBILL_PREVIOUS_COMMIT'] ?? '';

test(`an upgrade from ${previousCommit.slice(0, 7)}, and back`, { timeout: 600_000 }, async () => {
  await using checkout = await checkOut(previousCommit);
  await using storage = await ownStorage({ settings: laneSettings });
  // Another colour is another stylesheet, which only the processes of its own version have.
  const previous = programIn(
    checkout.folder,
    configure(thisProgram(), { ...storage.settings, WAYBILL_OPERATOR_COLOR: '#1f6f54' }),
  );
  const current = configure(thisProgram(), { ...storage.settings, WAYBILL_OPERATOR_COLOR: '#1f3d7a' });
  await using installation = await Installation.start(previous);
  await using load = await Load.start(installation);
  await load.uploads(10);

  await installation.replaceWork(current);
  await load.uploads(10);
  for (const place of [0, 1] as const) {
    await installation.replaceServe(place, current);
    await load.uploads(10);
  }

  for (const place of [0, 1] as const) {
    await installation.replaceServe(place, previous);
    await load.uploads(10);
  }
  await installation.replaceWork(previous);
  await load.uploads(10);

  expect(await load.end()).toEqual([]);
  // The previous version may write none.
  expect(await check(load.journals, { inside: storage, scanned: true, withoutEvidence: true })).toEqual([]);
});

/** The names that settings had before, by their names today. */
const earlierNames: Readonly<Record<string, string>> = {
  WAYBILL_LIFETIME_UNIT: 'WAYBILL_DESTTIME_UNIT',
  WAYBILL_LIFETIME_MAX: 'WAYBILL_DESTTIME_MAX',
  WAYBILL_MESSAGES_PER_RECEIVER: 'WAYBILL_MESSAGES_PER_RECIPIENT',
  WAYBILL_RECEIVER_MESSAGES_PER_HOUR: 'WAYBILL_RECIPIENT_MESSAGES_PER_HOUR',
};

/** The program in another folder, with the names that its settings have there, and without those that it does not know. */
function programIn(folder: string, { environment }: Program): Program {
  const documented = readFileSync(`${folder}/docs/configuration.md`, 'utf8');
  const isKnown = (name: string) => !name.startsWith('WAYBILL_') || documented.includes(`\`${name}\``);
  const known = Object.entries(environment).flatMap(([name, value]) => {
    const there = [name, earlierNames[name] ?? name].find(isKnown);
    return there === undefined ? [] : [[there, value] as const];
  });
  return { waybilld: `${folder}/server/dist/main.js`, environment: Object.fromEntries(known) };
}

function configure({ waybilld, environment }: Program, settings: Record<string, string>): Program {
  return { waybilld, environment: { ...environment, ...laneSettings, ...settings } };
}
