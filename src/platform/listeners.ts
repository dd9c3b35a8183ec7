/**
 * The sockets that a platform listens on: plain HTTP always, HTTPS where it
 * has certificates. Until the platform is ready they answer 503.
 *
 * @module
 */
import { systemClock } from "../lib/clock.ts";
import { keepUncompressed } from "./http/automatic_compression.ts";
import { faultAnswer } from "./http/fault_answer.ts";
import type { createFront } from "./http/front.ts";
import type { PlatformOptions } from "./options.ts";
import type { CertificateService } from "./tls/certificate_service.ts";
import { DEFAULT_HTTPS_PORT, openSecureListener } from "./tls/secure_listener.ts";

/** Requests under way get this long to finish when the platform stops. */
const DRAIN_MS = 10_000;

type Handler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Response | Promise<Response>;

const starting: Handler = () =>
  new Response("The platform is starting\n", { status: 503, headers: { "retry-after": "1" } });

export interface Listeners {
  readonly port: number;
  readonly httpsPort: number | undefined;
  /** Resolves when the plain listener has ended. */
  readonly finished: Promise<void>;
  /** Hands the requests over, with the certificates for the hosts that have their own. */
  open(front: ReturnType<typeof createFront>, certificates: CertificateService | undefined): void;
  /** A host has a new certificate. */
  certificateChanged(hostname: string): void;
  /** Stops accepting, lets requests under way finish, and cuts off those that do not. */
  close(): Promise<void>;
}

async function drain(server: { shutdown(): Promise<void> }): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<void>((resolve) => timer = setTimeout(resolve, DRAIN_MS));
  await Promise.race([server.shutdown(), deadline]);
  clearTimeout(timer);
}

/** The address can not be listened on, for another reason than that it is taken. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  constructor({ host, port }: PlatformOptions, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`Can not listen on ${host}:${port}: ${reason}`, { cause });
  }
}

function listen(options: PlatformOptions, handler: Deno.ServeHandler<Deno.NetAddr>) {
  try {
    const { host: hostname, port, log } = options;
    const onError = faultAnswer(log);
    return Deno.serve({ hostname, port, onListen: () => {}, onError }, handler);
  } catch (cause) {
    throw cause instanceof Deno.errors.AddrInUse ? cause : new ListenError(options, cause);
  }
}

/**
 * Binds the ports.
 *
 * @throws {Deno.errors.AddrInUse} when one is taken.
 * @throws {ListenError} when the address is none of this machine's, or needs more rights.
 */
export async function openListeners(options: PlatformOptions): Promise<Listeners> {
  let handler = starting;
  let secureHandler = starting;
  let certificates: CertificateService | undefined;
  let closing: Promise<unknown> | undefined;
  const plain = listen(options, (request, info) => handler(request, info));
  try {
    const secure = options.tls === undefined && options.acme === undefined
      ? undefined
      : await openSecureListener({
        hostname: options.host,
        port: options.httpsPort ?? DEFAULT_HTTPS_PORT,
        handler: (request, info) => secureHandler(request, info),
        files: options.tls,
        ordered: options.acme === undefined ? undefined : () => certificates,
        now: systemClock,
        onError: faultAnswer(options.log),
        log: options.log,
      });
    return {
      port: plain.addr.port,
      httpsPort: secure?.port,
      finished: plain.finished,
      open(front, ordered) {
        certificates = ordered;
        [handler, secureHandler] = [keepUncompressed(front.http), keepUncompressed(front.https)];
      },
      certificateChanged: (hostname) => secure?.changed(hostname),
      close: async () => {
        closing ??= Promise.all([plain, ...(secure === undefined ? [] : [secure])].map(drain));
        await closing;
      },
    };
  } catch (error) {
    await plain.shutdown();
    throw error;
  }
}
