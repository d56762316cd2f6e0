import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireKind } from '../test/require-kind.ts';

requireKind('engines');

export type ShippedProxy = 'haproxy.cfg' | 'nginx.conf' | 'Caddyfile';

export interface ProxyPlace {
  /** For its files: the configuration, `access.log` and `error.log`. */
  readonly folder: string;
  /** Instead of 443. Without TLS. */
  readonly port: number;
  /** Instead of 80. */
  readonly plainPort: number;
  /** HOST:PORT of the only `serve`. */
  readonly backend: string;
  /** Unless there is a second one: then both respond to checks of /readyz on the same port. */
  readonly second?: string;
}

export type Changes = readonly (readonly [part: RegExp, replacement: string])[];

/** Makes an example of deploy/ run here, without checks of a single `serve`, with more changes if there are any. Returns the command that starts it. */
export function shippedProxy(name: ShippedProxy, place: ProxyPlace, changes: Changes = []): [string, ...string[]] {
  const at = (file: string) => join(place.folder, file);
  const { text, command } = proxies[name](place, at);
  const shipped = readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
  // Workers run as another user.
  chmodSync(place.folder, 0o755);
  writeFileSync(
    at(name),
    text((first) => [...first, ...changes].reduce(replacePart, shipped)),
  );
  return command;
}

function replacePart(text: string, [part, replacement]: Changes[number]): string {
  const changed = text.replace(part, replacement);
  if (changed === text) throw new Error(`The example has nothing like ${part}.`);
  return changed;
}

interface Adaptation {
  text(adapted: (changes: Changes) => string): string;
  readonly command: [string, ...string[]];
}

const proxies: Readonly<Record<ShippedProxy, (place: ProxyPlace, at: (file: string) => string) => Adaptation>> = {
  'haproxy.cfg': ({ port, plainPort, backend, second }, at) => ({
    command: ['/usr/sbin/haproxy', '-db', '-f', at('haproxy.cfg')],
    text: (adapted) =>
      adapted([
        [/bind :443 .*/, `bind 127.0.0.1:${port}`],
        [/bind :80\b/, `bind 127.0.0.1:${plainPort}`],
        [/server serve1 .*/g, `server serve1 ${backend}${second ? '' : ' no-check'}`],
        [/.*server serve2 .*\n/g, second ? `    server serve2 ${second}\n` : ''],
      ]),
  }),
  'nginx.conf': ({ port, plainPort, backend, second }, at) => ({
    command: ['/usr/sbin/nginx', '-c', at('nginx.conf'), '-p', at('')],
    text: (adapted) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${kind};`,
      );
      const servers = adapted([
        [/listen 443 .*/, `listen 127.0.0.1:${port};`],
        [/listen 80;/, `listen 127.0.0.1:${plainPort};`],
        [/^ *ssl_.*\n/gm, ''],
        [/server 10\.0\.0\.11:8080/, `server ${backend}`],
        [/.*server 10\.0\.0\.12.*\n/, second ? `    server ${second};\n` : ''],
        [/\/var\/log\/nginx\/waybill\.log/g, at('access.log')],
        [/\/var\/log\/nginx\/waybill-error\.log/g, at('error.log')],
      ]);
      return `daemon off; pid nginx.pid; error_log stderr emerg;\nevents {}\nhttp {\n${temporary.join('\n')}\n${servers}\n}\n`;
    },
  }),
  Caddyfile: ({ port, backend, second = '' }, at) => ({
    command: ['caddy', 'run', '--adapter', 'caddyfile', '--config', at('Caddyfile')],
    text: (adapted) =>
      adapted([
        [/^\{$/m, '{\n\tadmin off'],
        [/^files\.example\.org \{/m, `http://127.0.0.1:${port} {`],
        [/\/var\/log\/caddy\/waybill\.log/, at('access.log')],
        [/10\.0\.0\.11:8080/g, backend],
        [/10\.0\.0\.12:8080/g, second],
        [second ? /^\t*health_port.*\n/gm : /^\t*health_.*\n/gm, ''],
      ]),
  }),
};
