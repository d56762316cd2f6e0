import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { newPhone, smsGatewayContract } from '../../../test/contracts/sms-gateway-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { receivedBy } from '../../../test/sms-log.ts';
import { type SmsGatewayOptions, smsGateway } from './gateway.ts';

const kannel = { ...engineAddresses.sms, from: 'Waybill', timeoutMs: 10_000 };
const gateway = smsGateway(kannel);

smsGatewayContract('Kannel', gateway, async (phone) => (await receivedBy(phone)).map(({ text }) => text));

describe('a text', () => {
  test.each([
    [
      'of all that GSM’s alphabet has',
      '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&\'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà^{}\\[~]|€',
      'text',
    ],
    ['with one letter beyond it', 'Garçon', 'ucs-2'],
    ['in another alphabet, with a picture', 'Код 日本 🎉', 'ucs-2'],
  ])('%s is not altered', async (_what, text, coding) => {
    const to = newPhone();
    expect(await gateway.send({ to, text })).toMatchObject({ outcome: 'sent' });
    expect(await receivedBy(to)).toEqual([{ from: 'Waybill', coding, text }]);
  });

  test('comes from whom the operator names', async () => {
    const to = newPhone();
    await smsGateway({ ...kannel, from: '46701234567' }).send({ to, text: 'hello' });
    expect(await receivedBy(to)).toMatchObject([{ from: '46701234567' }]);
  });
});

describe('a text that is refused permanently', () => {
  test.each([400, 422])('because the gateway responds with %i', async (status) => {
    await using peer = await gatewayThat((socket) => socket.end(head(status, 'no such number')));
    expect(await peer.gateway.send({ to: newPhone(), text: 'hello' })).toEqual({
      outcome: 'refused',
      response: `${status} no such number`,
    });
  });

  test.each(['', `${newPhone()} ${newPhone()}`, `${newPhone()}\r\nX-Kannel-To: ${newPhone()}`, 'nobody'])(
    'because %j is not one number, and Kannel is not asked',
    async (to) => {
      await using peer = await gatewayThat((socket) => socket.end(head(202)));
      const { outcome } = await peer.gateway.send({ to, text: 'hello' });
      expect([outcome, peer.connections()]).toEqual(['refused', 0]);
    },
  );
});

describe('a text that may be tried again', () => {
  test('because the password is wrong', async () => {
    const stranger = smsGateway({ ...kannel, password: 'wrong' });
    await expect(stranger.send({ to: newPhone(), text: 'hello' })).rejects.toMatchObject({
      message: 'The SMS gateway responded with 403 Authorization failed for sendsms',
      reason: '403',
    });
  });

  test.each([401, 402, 403, 404, 408, 429])(
    'because the gateway responds with %i, which is about us',
    async (status) => {
      await using peer = await gatewayThat((socket) => socket.end(head(status, 'quoting the text')));
      await expect(peer.gateway.send({ to: newPhone(), text: 'hello' })).rejects.toMatchObject({ reason: `${status}` });
    },
  );

  test('because nobody listens', async () => {
    const away = smsGateway({ ...kannel, address: `http://127.0.0.1:${await closedPort()}/` });
    await expect(away.send({ to: newPhone(), text: 'hello' })).rejects.toThrow(
      /^The SMS gateway did not respond: ECONNREF/,
    );
  });

  test('because the gateway says nothing in time', async () => {
    await using peer = await gatewayThat(() => undefined, { timeoutMs: 200 });
    await expect(peer.gateway.send({ to: newPhone(), text: 'hello' })).rejects.toThrow('TimeoutError');
  });

  test.each([
    ['503 Temporal failure, try again later.', head(503, 'Temporal failure, try again later.')],
    ['200 a page of somebody else', head(200, 'a page of somebody else')],
  ])('because it responded with %s', async (response, bytes) => {
    await using peer = await gatewayThat((socket) => socket.end(bytes));
    await expect(peer.gateway.send({ to: newPhone(), text: 'hello' })).rejects.toThrow(response);
  });

  test('because it hung up or is no gateway', async () => {
    for (const bytes of ['', 'SSH-2.0-OpenSSH_9.2\r\n']) {
      await using peer = await gatewayThat((socket) => socket.end(bytes));
      await expect(peer.gateway.send({ to: newPhone(), text: 'hello' })).rejects.toThrow('did not respond');
    }
  });

  test('because it sends elsewhere, where nobody is told the password', async () => {
    await using elsewhere = await gatewayThat((socket) => socket.end(head(202)));
    const moved = `HTTP/1.1 307 Moved\r\nlocation: ${elsewhere.address}\r\ncontent-length: 0\r\n\r\n`;
    await using peer = await gatewayThat((socket) => socket.end(moved));
    await expect(peer.gateway.send({ to: newPhone(), text: 'hello' })).rejects.toThrow('responded with 307');
    expect([peer.connections(), elsewhere.connections()]).toEqual([1, 0]);
  });
});

test('no failure tells the password, the number or the text', async () => {
  const secrets = { password: 'hidden-password', to: newPhone(), text: 'Your code is 482913' };
  await using silent = await gatewayThat(() => undefined);
  await using failing = await gatewayThat((socket) => socket.end(head(500, 'oops')));
  const addresses = [`http://127.0.0.1:${await closedPort()}/`, silent.address, failing.address, 'http://[::'];
  for (const address of addresses) {
    const { to, text, password } = secrets;
    const error: unknown = await smsGateway({ ...kannel, address, password, timeoutMs: 200 })
      .send({ to, text })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    for (const secret of Object.values(secrets)) expect(inspect(error, { depth: null })).not.toContain(secret);
  }
});

describe('a response', () => {
  test('that is huge is not read whole', async () => {
    const piece = 'x'.repeat(65_536);
    const hugeBytes = 1000 * piece.length;
    let takenBytes = 0;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    await using peer = await gatewayThat((socket) => {
      socket.on('close', resolve);
      socket.write(`HTTP/1.1 202 Accepted\r\ncontent-length: ${hugeBytes}\r\n\r\n`);
      const pour = () =>
        socket.write(piece, (error) => {
          if (error) return;
          takenBytes += piece.length;
          if (takenBytes < hugeBytes) pour();
          else socket.end();
        });
      pour();
    });
    expect(await peer.gateway.send({ to: newPhone(), text: 'hello' })).toEqual({
      outcome: 'sent',
      response: `202 ${'x'.repeat(500)}`,
    });
    await over;
    // Not a small amount, because the system's buffers hold some of it.
    expect(takenBytes).toBeLessThan(hugeBytes / 2);
  });

  test('that stops in the middle has still said that the text was taken', async () => {
    const begun = 'HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\n0: Acc';
    await using peer = await gatewayThat((socket) => socket.write(begun), { timeoutMs: 500 });
    expect(await peer.gateway.send({ to: newPhone(), text: 'hello' })).toEqual({
      outcome: 'sent',
      response: '202 0: Acc',
    });
  });

  test('is kept on one line, without what no database takes', async () => {
    await using peer = await gatewayThat((socket) => socket.end(head(400, 'no\0\r\nnumber\n')));
    expect(await peer.gateway.send({ to: newPhone(), text: 'hello' })).toEqual({
      outcome: 'refused',
      response: '400 no number',
    });
  });
});

function head(status: number, body = ''): string {
  return `HTTP/1.1 ${status} x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A gateway that handles a request as the test says, and the engine that talks to it. */
async function gatewayThat(onRequest: (socket: Socket) => void, options: Partial<SmsGatewayOptions> = {}) {
  let connections = 0;
  const peer = await startPeer((socket) => {
    connections += 1;
    socket.once('data', () => onRequest(socket));
  });
  const address = `http://127.0.0.1:${peer.port}/cgi-bin/sendsms`;
  return {
    ...peer,
    address,
    connections: () => connections,
    gateway: smsGateway({ ...kannel, address, ...options }),
  };
}
