/**
 * External rewrites: requests that another site answers.
 *
 * @module
 */
export { ProxyError, proxyRequest } from "./proxy.ts";
