import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { requireKind } from '../../../tools/test/require-kind.ts';

requireKind('engines');

/**
 * A module that runs in a network of its own, which nothing leaves. Its only interface has these addresses, its only
 * name server is to be 127.0.0.1, and both vanish with the process. It says that it is ready, and responds to one message
 * at a time.
 */
export interface OwnNetwork<Question, Result> extends AsyncDisposable {
  ask(question: Question): Promise<Result>;
}

const script = `
  ip link set lo up
  for address in $ADDRESSES; do ip addr add "$address" dev lo; done
  mount -t tmpfs none /mnt
  echo nameserver 127.0.0.1 >/mnt/resolv.conf
  mount --bind /mnt/resolv.conf /etc/resolv.conf
  exec "$0" "$1"`;

export async function startInOwnNetwork<Question extends object, Result>(
  module: string,
  addresses: readonly string[],
): Promise<OwnNetwork<Question, Result>> {
  const own = ['--net', '--mount', '--map-root-user', 'sh', '-euc', script, process.execPath, module];
  const child = spawn('unshare', own, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ADDRESSES: addresses.join(' ') },
  });
  await receiveResult(child);
  return {
    async ask(question) {
      const result = receiveResult(child);
      child.send(question);
      return (await result) as Result;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function receiveResult(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the process in its own network has ended'));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(message);
    });
  });
}
