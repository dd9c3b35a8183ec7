/**
 * @module Handles requests from a server to its own hosts: resolves hostnames and counts the
 * nesting depth.
 */
import diagnostics from "node:diagnostics_channel";
import http from "node:http";
import { depthField } from "../../compute/engine/request_scope.ts";
import { findOwnHosts, OwnHosts } from "../../compute/engine/own_hosts.ts";

/** The event that undici's clients, including `fetch`, emit before they send a request. */
interface Created {
  readonly request: {
    readonly origin: string | URL;
    addHeader(name: string, value: string): void;
  };
}

interface ClientRequest extends http.ClientRequest {
  _implicitHeader(): void;
}

/** Adds the nesting depth to each request to the server itself. */
function markDepth(own: OwnHosts): void {
  diagnostics.subscribe("undici:request:create", (message) => {
    const { request } = message as Created;
    const { hostname } = new URL(request.origin);
    if (own.includes(hostname)) request.addHeader(...depthField());
  });
  const prototype = http.ClientRequest.prototype as unknown as ClientRequest;
  const implicit = prototype._implicitHeader;
  prototype._implicitHeader = function (this: ClientRequest) {
    if (own.includes(this.host)) this.setHeader(...depthField());
    return implicit.call(this);
  };
}

export function prepareOwnRequests(hosts: readonly string[]): void {
  const own = new OwnHosts(hosts);
  findOwnHosts(own);
  markDepth(own);
}
