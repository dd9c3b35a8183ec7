/**
 * A front door for tests, with whatever listens.
 *
 * @module
 */
import { FrontDoor, type FrontDoorOptions } from "./front_door.ts";
import { completeLimits } from "./connection_limits.ts";
import type { ConnectionHandler, ConnectionLimits } from "./types.ts";

export interface TestDoor {
  readonly door: FrontDoor;
  /** What a listener's connections are handed to. */
  serve(listener: Deno.TcpListener | Deno.TlsListener, closed: AbortSignal): Promise<void>;
}

/** A door whose handler answers "hello", unless told otherwise. */
export function testDoor(
  given: Partial<FrontDoorOptions> & {
    readonly handler?: ConnectionHandler;
    readonly bounds?: Partial<ConnectionLimits>;
  } = {},
): TestDoor {
  const { handler = () => new Response("hello"), bounds = {}, ...options } = given;
  const door = new FrontDoor({
    limits: completeLimits(bounds, 1024),
    onError: () => new Response("fault", { status: 500 }),
    groupOf: (address) => address,
    isShort: () => false,
    onShortage: () => {},
    now: () => performance.now(),
    leavesToRuntime: false,
    ...options,
  });
  return {
    door,
    serve: (listener, closed) => door.take({ listener, closed, handler, scheme: "http" }),
  };
}
