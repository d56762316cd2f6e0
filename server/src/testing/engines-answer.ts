import { once } from 'node:events';
import { connect } from 'node:net';
import { engineAddresses } from './engine-addresses.ts';

/**
 * Runs before every test file that uses an engine, so that the error names an engine that is not running and what to
 * do.
 */
const { postgres, s3, valkey, clamd, smtp, sms } = engineAddresses;
const engines: Record<string, string> = {
  PostgreSQL: postgres,
  'the object store': s3.endpoint,
  Redis: valkey,
  clamd: `tcp://${clamd}`,
  Postfix: smtp,
  Kannel: sms.address,
};

const away = await Promise.all(
  Object.entries(engines).map(async ([name, address]) => {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port), timeout: 5_000 });
    socket.on('timeout', () => socket.destroy(new Error('no answer')));
    try {
      await once(socket, 'connect');
      return [];
    } catch {
      return [`${name} (${hostname}:${port})`];
    } finally {
      socket.destroy();
    }
  }),
);

if (away.flat().length > 0) {
  throw new Error(
    `These tests use engines that do not answer: ${away.flat().join(', ')}. ` +
      'Start them with npm run engines -- up, or run npm run test:unit, which needs none.',
  );
}
