import { randomBytes } from 'node:crypto';
import closeWithGrace from 'close-with-grace';
import { type Config, readConfig } from '../config/config.ts';
import { readServiceEnvironment } from '../config/service-environment.ts';
import { closeUnused, listenOn, offerHandOver, parseSockets } from '../host/hand-over.ts';
import { drain } from '../http/server/drain.ts';
import { paceLimits } from '../http/server/slow-peers.ts';
import { type CertificateFiles, readCertificate, reloadCertificate } from '../http/server/tls.ts';
import { applyBrand, readAssets } from '../web/shared/assets.ts';
import { buildServer } from './build-server.ts';
import { letHeapGrow } from './heap-growth.ts';
import { cannotListen, crashGraceMs, startService, stopLimitMs } from './service.ts';

/**
 * Connections that may wait to be accepted, because many clients connect at once after a restart. The kernel may allow
 * fewer.
 */
const backlog = 4_096;
export async function serve({ sockets }: { readonly sockets: string }): Promise<void> {
  letHeapGrow();
  const config = readConfig();
  const inherited = parseSockets(sockets);
  closeUnused(inherited, [config.WAYBILL_LISTEN, config.WAYBILL_PROBES_LISTEN]);
  const tls = certificateFiles(config);
  const certificate = tls && readCertificate(tls);
  const { log, observation, engines, probes, manager } = await startService(config, 'serve', inherited);
  const processTag = randomBytes(3).toString('hex');
  const server = buildServer(engines, {
    log,
    // Random: a counter would tell anyone how many requests the server gets.
    makeRequestId: () => `${processTag}-${randomBytes(8).toString('hex')}`,
    publicUrl: config.WAYBILL_PUBLIC_URL,
    allowedHosts: config.WAYBILL_ALLOWED_HOSTS,
    trustedProxies: config.WAYBILL_TRUSTED_PROXIES,
    certificate,
    paceLimits,
    pages: {
      translator: engines.translator,
      assets: applyBrand(readAssets(new URL('../assets/', import.meta.url)), {
        color: config.WAYBILL_OPERATOR_COLOR,
        logo: config.WAYBILL_OPERATOR_LOGO,
      }),
      operator: engines.operator,
      secureCookies: config.WAYBILL_PUBLIC_URL.startsWith('https:'),
    },
    observation,
  });
  const reloading = tls && certificate && reloadCertificate(server.server, tls, { served: certificate, log });
  if (reloading) observation.metrics.sources.certificateExpiresAt = reloading.expiresAt;

  // Once: a process that was replaced may also be told to stop.
  let drained: Promise<number> | undefined;
  const stopServing = (options: { readonly isReplaced?: boolean; readonly err?: Error | undefined }) => {
    drained ??= drain(server, {
      delayMs: options.err ? 0 : config.WAYBILL_STOP_DELAY_SECONDS * 1000,
      graceMs: options.err ? crashGraceMs : config.WAYBILL_STOP_SECONDS * 1000,
      isReplaced: options.isReplaced ?? false,
    });
    return drained;
  };
  const ending = closeWithGrace({ delay: stopLimitMs(config), logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'an unexpected error ends this process');
    // First no new work, then the work in progress, then the engines.
    probes.stopping();
    if (!drained) {
      log.info('stopping: not ready for new requests, finishing those in progress');
      await manager.stopping();
    }
    const cut = await stopServing({ err });
    if (cut > 0) log.warn({ cut }, 'connections were cut: their requests took too long to end');
    reloading?.stop();
    await probes.close();
    await engines.close();
    await observation.tracing.stop();
  });

  const listening = await listenOn(server, config.WAYBILL_LISTEN, { backlog, inherited }).catch(
    cannotListen('WAYBILL_LISTEN'),
  );
  await probes.started();
  log.info({ listening, processTag }, 'serving');
  const { runtimeDirectory } = readServiceEnvironment();
  if (runtimeDirectory !== undefined) {
    await offerHandOver({
      directory: runtimeDirectory,
      log,
      listening: [{ address: config.WAYBILL_LISTEN, server: server.server }, ...probes.listening()],
      onReplaced: () => {
        log.info('replaced: finishing the requests in progress');
        manager.endWatch();
        void probes.close();
        void stopServing({ isReplaced: true }).then(() => ending.close());
      },
    });
  }
  await manager.ready();
  // To the process that this one replaces.
  process.send?.('ready');
  process.disconnect?.();
}

function certificateFiles(config: Config): CertificateFiles | undefined {
  const { WAYBILL_TLS_CERTIFICATE_FILE: certificate, WAYBILL_TLS_KEY_FILE: key } = config;
  return certificate === '' ? undefined : { certificate, key };
}
