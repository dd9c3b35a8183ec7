/**
 * Clients that register themselves (RFC 7591). Nothing is stored, because the client's ID contains
 * the registration and an authentication code that only this platform can create.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import * as z from "zod";
import { equalInConstantTime } from "../../../lib/hash.ts";

/** Maximum length of a client ID, in characters. */
export const MAX_CLIENT_ID = 4096;
const MAX_REDIRECTS = 5;
const MAX_REDIRECT = 400;
const MAX_NAME = 60;

/** Schemes that browsers handle themselves, without opening a program. */
const REFUSED_SCHEMES = new Set([
  "javascript:",
  "data:",
  "vbscript:",
  "blob:",
  "file:",
  "about:",
  "filesystem:",
  "view-source:",
  "ws:",
  "wss:",
  "ftp:",
]);
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** Returns whether a `resource` parameter refers to this platform (RFC 8707). */
export function isOwnResource(resource: string, publicOrigin: string): boolean {
  return [publicOrigin, `${publicOrigin}/`, `${publicOrigin}/mcp`].includes(resource);
}

/** Returns why a redirect URL is rejected, or `undefined` if it is valid. */
function redirectProblem(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return "is not an absolute URL";
  if (/[\s\\]|[^\x21-\x7e]/.test(address)) return "has invalid characters";
  if (address.includes("#")) return "has a fragment";
  if (url.username !== "" || url.password !== "") return "contains credentials";
  if (REFUSED_SCHEMES.has(url.protocol)) return `has the scheme ${url.protocol}`;
  if (url.protocol === "http:" && !LOOPBACK.has(url.hostname)) {
    return "uses http: for another machine. Use https:";
  }
  return undefined;
}

/** Returns the URL. If it points to the client's own machine, its port is removed. */
function withoutLoopbackPort(address: string): string {
  const url = new URL(address);
  if (url.protocol !== "http:" || !LOOPBACK.has(url.hostname)) return address;
  url.port = "";
  return url.href;
}

/**
 * Returns whether a redirect URL is registered. Programs choose a new port each time (RFC 8252,
 * 7.3).
 */
export function isRegistered(address: string, registered: readonly string[]): boolean {
  if (registered.includes(address)) return true;
  if (redirectProblem(address) !== undefined) return false;
  const wanted = withoutLoopbackPort(address);
  return wanted !== address &&
    registered.some((each) => withoutLoopbackPort(each) === wanted);
}

const redirect = z.string().max(MAX_REDIRECT).superRefine((address, context) => {
  const problem = redirectProblem(address);
  if (problem !== undefined) context.addIssue({ code: "custom", message: `It ${problem}` });
});

export const registrationBody = z.object({
  redirect_uris: z.array(redirect).min(1).max(MAX_REDIRECTS),
  client_name: z.string().max(200).optional(),
});

const registered = z.tuple([z.string(), z.array(z.string())]);

export interface RegisteredClient {
  /** The name that the client has given itself, which is not verified. */
  readonly name: string;
  readonly redirects: readonly string[];
}

function cleanName(name: string | undefined): string {
  const line = (name ?? "").replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "").trim();
  return line === "" ? "Unknown client" : line.slice(0, MAX_NAME);
}

const sign = (key: string, text: string): string =>
  createHmac("sha256", key).update(`svc client\n${text}`).digest("base64url");

export function makeClientId(body: z.infer<typeof registrationBody>, key: string): string {
  const facts = [cleanName(body.client_name), body.redirect_uris];
  const text = Buffer.from(JSON.stringify(facts)).toString("base64url");
  return `${text}.${sign(key, text)}`;
}

/** Reads a client's ID. Returns `undefined` if this platform did not issue the ID. */
export function readClientId(id: string, key: string): RegisteredClient | undefined {
  if (id.length > MAX_CLIENT_ID) return undefined;
  const [text, mac, ...rest] = id.split(".");
  if (text === undefined || mac === undefined || rest.length > 0) return undefined;
  if (!equalInConstantTime(mac, sign(key, text))) return undefined;
  const [name, redirects] = registered.parse(
    JSON.parse(Buffer.from(text, "base64url").toString("utf8")),
  );
  return { name, redirects };
}
