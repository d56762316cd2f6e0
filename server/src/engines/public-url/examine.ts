import type { Finding } from '../../domain/doctor/finding.ts';
import {
  certificateFinding,
  fault,
  isCertificateError,
  ok,
  privateAuthority,
  reason,
  warning,
} from '../../domain/doctor/finding.ts';
import { type ProbeResponse, ProbeTokens, probeHeader, probePath } from '../../domain/doctor/probe.ts';
import type { Random } from '../../domain/ports/random.ts';
import { askInHalves, askToSend, type Reply } from './ask-through-proxy.ts';

export interface PublicUrlExamination {
  readonly publicUrl: string;
  readonly pepper: Buffer;
  readonly random: Random;
  readonly maxFileBytes: number;
  readonly now?: () => number;
}

const pauseMs = 1_000;
/** Halves that a proxy passes on at once arrive apart by the pause, less any delay; those it holds back arrive together. */
const apartMs = pauseMs / 2;
/** A busy machine can bring two halves together once: a proxy that holds them back does so every time. */
const attempts = 3;
/** Reserved for documentation (RFC 5737): no client has it, so if it is believed, any client can claim any address. */
const claimedAddress = '192.0.2.77';

/** Sends a request to `serve` the way that clients do, and compares what was sent with what arrived. */
export async function* examinePublicUrl(options: PublicUrlExamination): AsyncGenerator<Finding> {
  const { publicUrl, pepper, random, maxFileBytes, now = Date.now } = options;
  const url = new URL(probePath, publicUrl);
  const headers = () => ({
    [probeHeader]: new ProbeTokens(pepper).make(random, now()),
    'x-forwarded-for': claimedAddress,
  });
  let reply: Reply;
  try {
    reply = await askRepeatedly(() => askInHalves(url, headers(), pauseMs));
  } catch (error) {
    yield unreachable(error, url);
    return;
  }
  if (reply.certificateUntil) yield certificateFinding('proxy.certificate', reply.certificateUntil, now());
  if (reply.status !== 200) {
    yield refusal(reply, url);
    return;
  }
  const response = parseReply(reply);
  yield ok('proxy.reachable', `\`serve\` responds at ${publicUrl}.`);
  yield clientAddress(response);
  yield response.bodyMs > apartMs
    ? ok('proxy.uploads', 'Uploads arrive while they are being sent.')
    : fault(
        'proxy.uploads',
        'The proxy holds an upload back until it is complete.',
        'Turn this off: proxy_request_buffering off in nginx, no buffer_requests or request_buffers in Caddy.',
      );
  yield reply.restMs > apartMs
    ? ok('proxy.downloads', 'Downloads arrive while they are being sent.')
    : warning(
        'proxy.downloads',
        'The proxy holds a download back until it is complete.',
        'Turn this off: proxy_buffering off in nginx, no buffer_responses or response_buffers in Caddy.',
      );
  yield await bodyLimit(url, headers(), maxFileBytes);
}

/** Returns the first reply of which nothing was held back, or the last one. */
async function askRepeatedly(ask: () => Promise<Reply>): Promise<Reply> {
  let reply = await ask();
  for (let asked = 1; asked < attempts && reply.status === 200; asked += 1) {
    if (parseReply(reply).bodyMs > apartMs && reply.restMs > apartMs) break;
    reply = await ask();
  }
  return reply;
}

function parseReply({ line }: Reply): ProbeResponse {
  return JSON.parse(line) as ProbeResponse;
}

function unreachable(error: unknown, url: URL): Finding {
  const { code = '' } = error as { code?: string };
  if (isCertificateError(error)) {
    const remedy =
      code === 'CERT_HAS_EXPIRED'
        ? 'Renew it. If it was renewed, have the proxy load the new one.'
        : code === 'ERR_TLS_CERT_ALTNAME_INVALID'
          ? `Install a certificate for ${url.hostname}, or correct WAYBILL_PUBLIC_URL.`
          : `Install a certificate with its whole chain. ${privateAuthority}`;
    return fault('proxy.certificate', `The certificate of ${url.host} is not accepted: ${reason(error)}.`, remedy);
  }
  const remedy = `Start the proxy and \`serve\`, or correct WAYBILL_PUBLIC_URL or the DNS record of ${url.hostname}. This machine must be able to reach the address too.`;
  return fault('proxy.reachable', `${url.origin} does not respond: ${reason(error)}.`, remedy);
}

function refusal({ status, headers, line }: Reply, url: URL): Finding {
  if (status >= 300 && status < 400) {
    const remedy = `Put the address that clients end up at into WAYBILL_PUBLIC_URL.`;
    return fault('proxy.reachable', `${url.origin} redirects to ${headers.location ?? 'another address'}.`, remedy);
  }
  if (status === 421) {
    const remedy = 'Have the proxy forward Host unchanged: proxy_set_header Host $http_host in nginx.';
    return fault('proxy.host', 'The proxy changes the header Host, so that `serve` refuses requests (421).', remedy);
  }
  if (status === 413) return tooLarge;
  if (status === 404 && line.includes('"not_found"')) {
    const remedy =
      'Use the same version, the same WAYBILL_KEY_PEPPER and the same time on every machine, and restart `serve`.';
    return fault('proxy.serve', 'A Waybill responds that has another pepper, clock or version.', remedy);
  }
  return status === 502 || status === 503 || status === 504
    ? fault(
        'proxy.serve',
        `The proxy responds with ${status}: it does not reach \`serve\`.`,
        'Start `serve`, and compare WAYBILL_LISTEN with the address in the proxy’s settings.',
      )
    : fault(
        'proxy.reachable',
        `${url.origin} responds with ${status}, and not as Waybill does.`,
        'Correct WAYBILL_PUBLIC_URL, or have the proxy forward all paths.',
      );
}

function clientAddress({ connection, forwarded, trusted, client }: ProbeResponse): Finding {
  const check = 'proxy.client';
  if (client === claimedAddress) {
    const remedy =
      'Have the proxy replace X-Forwarded-For with the peer’s address (proxy_set_header X-Forwarded-For $remote_addr in nginx; http-request del-header X-Forwarded-For and option forwardfor in HAProxy), and name only your proxies in WAYBILL_TRUSTED_PROXIES.';
    return fault(check, 'A client can choose the address by which its failed logins are counted.', remedy);
  }
  if (forwarded === undefined) {
    const remedy =
      'Have the proxy set X-Forwarded-For to the peer’s address: proxy_set_header X-Forwarded-For $remote_addr in nginx, option forwardfor in HAProxy.';
    return fault(check, 'The proxy does not forward the client’s address.', remedy);
  }
  if (!trusted && forwarded !== claimedAddress) {
    const remedy = `Set WAYBILL_TRUSTED_PROXIES=${connection}, if that is your proxy, and restart \`serve\`.`;
    return fault(check, `All clients count as ${connection}, because this proxy is not trusted.`, remedy);
  }
  return ok(check, `This machine counts as ${client}, as it should.`);
}

const tooLarge = fault(
  'proxy.size',
  'The proxy refuses large files (413).',
  'Remove its limit: client_max_body_size 0 in nginx, no rule on content-length in HAProxy, no request_body max_size in Caddy.',
);

async function bodyLimit(url: URL, headers: Record<string, string>, maxFileBytes: number): Promise<Finding> {
  const status = await askToSend(url, headers, maxFileBytes);
  if (status === 413) return tooLarge;
  return ok('proxy.size', 'Files of WAYBILL_MAX_FILE_BYTES are let through.');
}
