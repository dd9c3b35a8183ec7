/** @module Checks whether secrets may be sent to a URL. Pure. */

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns whether requests to a URL are private, which requires that the URL uses HTTPS or points
 * to this machine.
 */
export const isSecureUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === "https:" || LOOPBACK.test(hostname);
