/** @module Sends outbound requests in tests. */
import assert from "node:assert/strict";
import { OutboundError, type OutboundErrorCode } from "../http1/errors.ts";
import { tableResolver } from "./_test_servers.ts";
import { createOutboundFetch, type OutboundOptions } from "./outbound_fetch.ts";
import type { OutboundRequest, OutboundResponse } from "./types.ts";

const LOOPBACK = tableResolver({ "site.test": [["127.0.0.1"]] });

/** Runs a test with a client that can reach this machine, then closes its connections. */
export async function withOutbound<T>(
  options: OutboundOptions,
  run: (
    send: (request: Partial<OutboundRequest> & { url: string }) => Promise<OutboundResponse>,
  ) => Promise<T>,
): Promise<T> {
  const outbound = createOutboundFetch({
    allowPrivate: true,
    resolveDns: LOOPBACK.resolve,
    connectMs: 2000,
    idleMs: 2000,
    ...options,
  });
  try {
    return await run((request) =>
      outbound.fetch({ method: "GET", headers: [], body: null, ...request })
    );
  } finally {
    outbound.close();
  }
}

export const text = async (response: OutboundResponse): Promise<string> =>
  response.body === null ? "" : await new Response(response.body).text();

/** Returns the code of the error with which a request fails. */
export async function codeOf(work: Promise<unknown>): Promise<OutboundErrorCode | "none"> {
  try {
    await work;
    return "none";
  } catch (error) {
    assert.ok(error instanceof OutboundError, String(error));
    return error.code;
  }
}
