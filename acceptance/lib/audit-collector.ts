import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** An HTTPS endpoint to which the audit is sent. It refuses everything until it is told to accept. */
export async function auditCollector(authorization: string) {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-collector-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'pipe' });
  const events: { readonly message: string; readonly metadata: { readonly uid: string } }[] = [];
  let accepts = false;
  let refused = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const lines = (await text(request)).split('\n').slice(0, -1);
    if (!accepts || request.headers.authorization !== authorization) {
      refused += 1;
      response.writeHead(403).end();
      return;
    }
    events.push(...lines.map((line) => JSON.parse(line) as (typeof events)[number]));
    response.writeHead(204).end();
  };
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    void handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    settings: {
      WAYBILL_AUDIT_HTTPS_URL: `https://localhost:${(server.address() as AddressInfo).port}/`,
      WAYBILL_AUDIT_HTTPS_AUTHORIZATION: authorization,
      WAYBILL_AUDIT_CA_FILE: cert,
    },
    events,
    countRefused: () => refused,
    accept() {
      accepts = true;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      rmSync(folder, { recursive: true });
    },
  };
}
