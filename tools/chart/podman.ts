import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const network = 'waybill-chart';
/** The limits that podman requests by default may exceed those of this machine. */
const settings = `[containers]
default_ulimits = ["nofile=10000:10000", "nproc=10000:10000"]
[engine]
runtime = "runc"
`;

/** A podman with its own storage and network, both removed at the end. */
export class Podman implements AsyncDisposable {
  readonly folder = mkdtempSync('/var/tmp/waybill-chart.');

  /** Returns the output of podman. It does not block this process, through which pods reach the engines. */
  async run(...args: readonly string[]): Promise<string> {
    const place = (name: string) => join(this.folder, name);
    const places = ['--root', place('storage'), '--runroot', place('run'), '--tmpdir', place('tmp')];
    const env = { ...process.env, CONTAINERS_CONF: place('containers.conf') };
    const { stdout } = await promisify(execFile)(
      'podman',
      [...places, '--network-config-dir', place('networks'), ...args],
      { env },
    );
    return stdout.trim();
  }

  /** Loads an image from an archive, and returns its name. */
  async start(archive: string): Promise<string> {
    writeFileSync(join(this.folder, 'containers.conf'), settings);
    const image = (await this.run('load', '--quiet', '--input', archive)).split(': ').at(-1) ?? '';
    await this.run('network', 'create', network);
    // The first container of a network creates its bridge, on which pods reach the engines.
    const idle = ['--no-healthcheck', '--entrypoint', 'node', image, '-e', 'setInterval(() => {}, 1e6)'];
    await this.run('run', '--detach', '--network', network, ...idle);
    return image;
  }

  async play(manifests: readonly object[]): Promise<void> {
    const file = join(this.folder, 'manifests.yaml');
    writeFileSync(file, manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n'));
    await this.run('play', 'kube', '--network', network, file);
  }

  /** An address on the bridge that leads to this port, which is open to this machine only. */
  async reach(port: number): Promise<string> {
    const gateway = await this.run('network', 'inspect', network, '--format', '{{(index .Subnets 0).Gateway}}');
    const server = createServer((pod) => {
      void pipeline(pod, connect(port, '127.0.0.1'), pod).catch(() => undefined);
    });
    server.listen(port, gateway).unref();
    await once(server, 'listening');
    return `${gateway}:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.run('pod', 'rm', '--all', '--force', '--time', '30');
    await this.run('rm', '--all', '--force', '--time', '0');
    await this.run('network', 'rm', network);
    await this.run('system', 'reset', '--force');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
