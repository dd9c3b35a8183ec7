/**
 * The platform's HTTPS side: which certificate serves whom, and the timers
 * that keep certificates fresh.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { PlatformLog } from "../options.ts";
import type { KeyPair } from "./certificate.ts";
import type { CertificateService } from "./certificate_service.ts";
import { type CertificateSource, type HttpsHandler, HttpsListener } from "./https_listener.ts";
import { type CertificateFiles, readCertificateFiles } from "./static_certificate.ts";

export const DEFAULT_HTTPS_PORT = 443;

/** For due orders, and for files that changed. */
const INTERVAL_MS = 10 * 60_000;

export interface SecureListenerOptions {
  readonly hostname: string;
  readonly port: number;
  readonly handler: HttpsHandler;
  /** The operator's own certificate. */
  readonly files?: CertificateFiles | undefined;
  /** Knows the certificates that were ordered; `undefined` where none are. */
  readonly ordered: (() => CertificateService | undefined) | undefined;
  readonly now: Clock;
  /** How often certificates are looked at, in milliseconds; ten minutes where missing. */
  readonly intervalMs?: number;
  /** Answers where a handler throws; is told of bodies that break off. */
  readonly onError?: (error: unknown) => Response;
  log(line: PlatformLog): void;
}

export interface SecureListener {
  readonly port: number;
  /** Takes note of a hostname whose certificate is new. */
  changed(hostname: string): void;
  /** Ends the timers, and resolves when the requests under way are answered. */
  shutdown(): Promise<void>;
}

/**
 * Listens for HTTPS.
 *
 * @throws {CertificateFileError} where the given certificate can not serve.
 * @throws {SniUnsupportedError} where certificates are ordered, on a runtime
 * that can not choose between them.
 * @throws {Deno.errors.AddrInUse} where the port is taken.
 */
export async function openSecureListener(options: SecureListenerOptions): Promise<SecureListener> {
  const { hostname, port, handler, files, ordered, now, log } = options;
  let own = files === undefined ? undefined : await readCertificateFiles(files, now());
  const certificates: CertificateSource = ordered === undefined && own !== undefined
    ? { type: "one", current: () => own! }
    : { type: "by_name", find: (name) => ordered?.()?.find(name) ?? own };
  const { onError } = options;
  const listener = new HttpsListener({
    ...{ hostname, port, handler, certificates },
    ...(onError === undefined ? {} : { onError }),
  });
  const reload = async (given: CertificateFiles) => {
    try {
      const fresh: KeyPair = await readCertificateFiles(given, now());
      if (fresh.cert === own?.cert) return;
      own = fresh;
      listener.replace();
      log({ level: "info", message: `Certificate ${given.certFile} is read anew` });
    } catch (error) {
      log({ level: "warn", message: `Serving on with the old certificate: ${error}` });
    }
  };
  const timer = setInterval(() => {
    ordered?.()?.wake();
    if (files !== undefined) reload(files);
  }, options.intervalMs ?? INTERVAL_MS);
  return {
    get port() {
      return listener.port;
    },
    changed: (name) => listener.changed(name),
    shutdown: () => {
      clearInterval(timer);
      return listener.shutdown();
    },
  };
}
