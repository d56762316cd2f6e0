import { parsePolicy, verifyReceipt } from '@waybill/evidence';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import { startTestWitness } from '../../../test/test-witness.ts';
import { openLink } from '../links/open-link.ts';
import { buildReceipt } from './build-receipt.ts';
import { LogCosigner } from './cosign-log.ts';
import { makeLogPolicy } from './public-log.ts';
import { Sequencer } from './sequencer.ts';

const exchange = await useTestExchange();
const live = new AbortController().signal;

test('a receipt has the newest checkpoint that witnesses have cosigned and that covers it', async () => {
  const sequencer = new Sequencer(exchange.engines);
  const { link } = await sentLink(exchange, ['a.txt']);
  await sequencer.step(live);
  await using witness = await startTestWitness(exchange.engines, () => 1_790_000_000);
  const engines = { ...exchange.engines, witnesses: witness.witnesses };
  const cosigner = new LogCosigner(engines);
  const policy = parsePolicy(await makeLogPolicy(engines, witness.witnesses.rules));
  const build = async () => {
    const { json, log } = await buildReceipt(engines, link, live);
    const { isValid, problems } = await verifyReceipt(json, policy);
    return { isValid, problems: problems.map(({ code }) => code), size: log.size, witnesses: log.witnesses };
  };
  const cosigned = { isValid: true, problems: [], witnesses: [{ name: 'W', at: new Date(1_790_000_000_000) }] };

  // It waits for the witness.
  const waiting = build();
  await cosigner.step(live);
  expect(await waiting).toEqual({ ...cosigned, size: 3 });

  // A checkpoint that is newer, but not cosigned, proves nothing more about this receiver.
  await sentLink(exchange, ['b.txt']);
  await sequencer.step(live);
  expect(await engines.store.evidenceLog.find(1)).toMatchObject({ publishedSize: 5 });
  expect(await build()).toEqual({ ...cosigned, size: 3 });

  // An event that no witness has seen is not left out, and the receipt says that it has no witness.
  await witness.close();
  await openLink(exchange.engines, link);
  await sequencer.step(live);
  expect(await build()).toEqual({ isValid: false, problems: ['no_quorum'], size: 6, witnesses: [] });
  await sequencer.stop();
});

test('an event that was edited in the database gets no receipt', async () => {
  const sequencer = new Sequencer(exchange.engines);
  const { link } = await sentLink(exchange, ['a.txt']);
  await sequencer.step(live);
  await buildReceipt(exchange.engines, link, live);
  await exchange.database.query(
    `update evidence_entries set data = data || '{"notified": false}' where drop_id = $1 and kind = 'content.consigned'`,
    [link.dropId],
  );
  await expect(buildReceipt(exchange.engines, link, live)).rejects.toMatchObject({
    code: 'receipt_unavailable',
    message: expect.stringContaining('waybilld admin log check'),
  });
  await sequencer.stop();
});
