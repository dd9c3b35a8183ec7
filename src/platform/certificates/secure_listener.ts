/**
 * Serves HTTPS for the platform: selects the certificate for each host, and rereads the operator's
 * own certificate when it changes.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";
import type { PlatformLog } from "../core/log.ts";
import type { KeyPair } from "./certificate.ts";
import { type CertificateSource, type ChangedNames, HttpsListener } from "./https_listener.ts";
import { type CertificateFiles, readCertificateFiles } from "./static_certificate.ts";

export const DEFAULT_HTTPS_PORT = 443;

/** How often to check files for changes, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** Certificates that the platform orders for individual hosts. */
export interface OrderedCertificates {
  find(hostname: string): KeyPair | undefined | Promise<KeyPair | undefined>;
}

export interface SecureListenerOptions {
  readonly hostname: string;
  readonly port: number;
  /** The operator's own certificate. */
  readonly files?: CertificateFiles | undefined;
  /** Finds ordered certificates. Returns `undefined` if the platform orders none. */
  readonly ordered: (() => OrderedCertificates | undefined) | undefined;
  /** Whether other processes listen on the same port. */
  readonly reusePort?: boolean;
  readonly now: Clock;
  /** How often to check files for changes, in milliseconds; every ten minutes by default. */
  readonly intervalMs?: number;
  /** Serves the connections of a listener until `closed` is aborted. */
  serve(listener: Deno.TlsListener, closed: AbortSignal): Promise<void>;
  log(line: PlatformLog): void;
}

interface SecureListener {
  readonly port: number;
  /** Records that certificates were changed or removed. Resolves when clients see the change. */
  changed(names: ChangedNames): Promise<void>;
  /** Closes the previous listener if it is still open in addition to the current one. */
  standAlone(): Promise<void>;
  /** Stops the timers and stops accepting connections. Open connections stay open. */
  close(): Promise<void>;
}

/**
 * Listens for HTTPS.
 *
 * @throws {CertificateFileError} if the given certificate cannot be used.
 * @throws {Deno.errors.AddrInUse} if the port is taken.
 */
export async function openSecureListener(options: SecureListenerOptions): Promise<SecureListener> {
  const { hostname, port, serve, files, ordered, reusePort = false, now, log } = options;
  let own = files === undefined ? undefined : await readCertificateFiles(files, now());
  const certificates: CertificateSource = ordered === undefined && own !== undefined
    ? { type: "one", current: () => own! }
    : { type: "by_name", find: async (name: string) => await ordered?.()?.find(name) ?? own };
  const listener = new HttpsListener({ hostname, port, certificates, reusePort, serve });
  const reload = async (given: CertificateFiles) => {
    try {
      const fresh: KeyPair = await readCertificateFiles(given, now());
      if (fresh.cert === own?.cert) return;
      own = fresh;
      await listener.replace();
      log({ level: "info", message: `Reloaded the certificate ${given.certFile}` });
    } catch (error) {
      log({ level: "warn", message: `Keeping the old certificate: ${error}` });
    }
  };
  const timer = files && setInterval(() => reload(files), options.intervalMs ?? INTERVAL_MS);
  return {
    get port() {
      return listener.port;
    },
    changed: (names) => listener.changed(names),
    standAlone: () => listener.standAlone(),
    close: () => {
      clearInterval(timer);
      return listener.close();
    },
  };
}
