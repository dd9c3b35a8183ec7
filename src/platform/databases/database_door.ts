/**
 * This platform's database gateway, which starts listening only once there is a database.
 *
 * @module
 */
import {
  type BackendSession,
  type BranchAccess,
  Gateway,
  type GatewayOptions,
} from "../../database/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { Failure } from "../core/http/mod.ts";
import type { RecordedBranches } from "./branch_access.ts";

export interface DoorAddress {
  readonly host: string;
  readonly port: number;
  /** Whether clients must encrypt their connections. */
  readonly encrypts?: boolean;
}

export interface DoorOptions {
  readonly directory: RecordedBranches;
  readonly host: string;
  /** Port for clients; `null` if only deployments' servers can connect. */
  readonly port: number | null;
  /** The hostname at which people reach the platform. */
  readonly publicHost: string;
  /** The platform's certificate. Without it, the gateway has no TLS. */
  readonly certificate?: GatewayOptions["certificate"];
  onTrouble(message: string): void;
}

const LOOPBACK = "127.0.0.1";
/** Addresses for listening on all interfaces, including the loopback interface. */
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

interface Open {
  readonly gateway: Gateway;
  /** The address for clients on this machine and on others; `undefined` if there is none. */
  readonly clients: DoorAddress | undefined;
  /** The socket that deployments' servers use inside their sandbox. */
  readonly servers: DoorAddress;
}

export class DatabaseDoor {
  #open: Open | undefined;

  readonly #options: DoorOptions;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  get clients(): DoorAddress | undefined {
    return this.#open?.clients;
  }

  /** Starts listening on the first call. @throws {Failure} `unavailable` */
  open(): Open {
    return this.#open ??= this.#listen();
  }

  connect(access: BranchAccess): Promise<BackendSession> {
    return this.open().gateway.open(access);
  }

  sessionsOf(storageId: string): number {
    return this.#open?.gateway.branches.countOf(storageId) ?? 0;
  }

  async endSessions(storageId: string): Promise<void> {
    await this.#open?.gateway.branches.endSessions(storageId);
  }

  /** Closes sessions, and rejects new ones until the returned function is called. */
  async closeBranch(storageId: string): Promise<() => void> {
    return await this.#open?.gateway.branches.close(storageId) ?? (() => {});
  }

  async close(): Promise<void> {
    await this.#open?.gateway.close();
  }

  #listen(): Open {
    const { directory, host, port, publicHost, certificate, onTrouble } = this.#options;
    const gateway = new Gateway({
      directory,
      now: () => performance.now(),
      certificate,
      onTrouble,
    });
    const local = (): DoorAddress => ({
      host: LOOPBACK,
      port: gateway.listen({ hostname: LOOPBACK, port: 0 }).port,
    });
    try {
      if (port === null) return { gateway, clients: undefined, servers: local() };
      const { port: taken } = gateway.listen({ hostname: host, port });
      const isEverywhere = EVERYWHERE.has(host);
      const reached = isEverywhere ? publicHost : host;
      const encrypts = certificate !== undefined && !isLocalName(reached);
      const clients = { host: reached, port: taken, encrypts };
      const reachesLoopback = isEverywhere || host === LOOPBACK;
      return {
        gateway,
        clients,
        servers: reachesLoopback ? { host: LOOPBACK, port: taken } : local(),
      };
    } catch (cause) {
      gateway.close().catch(() => {});
      const reason = cause instanceof Deno.errors.AddrInUse
        ? "another program is using the port"
        : messageOf(cause);
      throw new Failure(
        "unavailable",
        `Cannot listen for PostgreSQL clients on ${host}:${port}: ${reason}. Choose another --postgres-port`,
        { cause },
      );
    }
  }
}

/** Returns whether a host is this machine's own name. If so, no data crosses a network. */
const isLocalName = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || host.startsWith("127.");
