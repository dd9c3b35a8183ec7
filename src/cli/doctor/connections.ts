/** @module Checks the platform in use, and the login to it. */
import { compare, valid } from "semver";
import { getHealth } from "../../contract/system.ts";
import { getIdentity } from "../../contract/identity.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { messageOf } from "../../lib/error_message.ts";
import { readLimited } from "../../lib/read_limited.ts";
import { examineBackups } from "./backups.ts";
import { examineEdges } from "./edges.ts";
import { examineNodes } from "./nodes.ts";
import type { Point } from "./point.ts";

/**
 * Maximum difference between clocks, in milliseconds. With a larger one, codes from authenticator
 * apps and tokens from CI jobs are refused.
 */
const MOST_SKEW_MS = 30_000;

/** Timeout for the platform's response. */
const ANSWER_MS = 5000;

/** Maximum size of the platform's response in bytes. It usually has a few hundred bytes. */
const MOST_BYTES = 65_536;

/** Status of a node that must not receive requests. The response body gives the reason. */
const NOT_READY = 503;

interface PlatformFacts {
  readonly version: string;
  /**
   * How far the platform's clock is ahead, in milliseconds; accurate to a second.
   * `undefined` if the response has no date.
   */
  readonly skewMs: number | undefined;
  /** The reason why the platform cannot use databases, or `undefined` if it can. */
  readonly databases: string | undefined;
  /** Whether the platform can read its country database. */
  readonly knowsCountries: boolean;
}

/** Checks a platform based on its response. */
export function judgePlatform(
  { version, skewMs, databases, knowsCountries }: PlatformFacts,
  { apiUrl, own }: { readonly apiUrl: string; readonly own: string },
): readonly Point[] {
  const found = `${apiUrl} responds, version ${version}`;
  const points: Point[] = [];
  const newer = valid(version) !== null && compare(version, own) > 0;
  points.push(
    newer
      ? {
        name: "platform",
        state: "warn",
        found: `${found}; this program is version ${own}`,
        advice: "Run svc upgrade: this version may lack features of the newer platform",
      }
      : { name: "platform", state: "ok", found },
  );
  if (skewMs !== undefined && Math.abs(skewMs) > MOST_SKEW_MS) {
    points.push({
      name: "clock",
      state: "warn",
      found: `this machine's clock is ${Math.round(Math.abs(skewMs) / 1000)} s ` +
        `${skewMs > 0 ? "behind" : "ahead of"} the platform's`,
      advice:
        "Sync both clocks with NTP. Otherwise sign-in codes and tokens from CI jobs are refused",
    });
  }
  if (databases !== undefined) {
    points.push({
      name: "platform databases",
      state: "warn",
      found: databases,
      advice: "Check the svc serve log, and run svc doctor on that machine",
    });
  }
  if (!knowsCountries) {
    points.push({
      name: "platform countries",
      state: "fail",
      found: "its country database cannot be read, so no geo condition matches",
      advice: "Check the svc serve log there. Reinstall svc, or fix the file given with --geoip",
    });
  }
  return points;
}

/**
 * Checks the platform in use. Returns an empty list if no platform was chosen and none is running
 * at the default URL.
 */
export async function examinePlatform(ctx: Context, own: string): Promise<readonly Point[]> {
  const { apiUrl, credentials, settings } = ctx;
  const isChosen = settings.apiUrl !== undefined || credentials.apiUrl !== undefined;
  const readiness = await examineReadiness(ctx);
  if (readiness?.state === "fail") return [readiness];
  let facts: PlatformFacts;
  try {
    facts = await askPlatform(ctx);
  } catch (error) {
    if (!isChosen) return [];
    return [{
      name: "platform",
      state: "fail",
      found: `${apiUrl} does not respond: ${messageOf(error)}`,
      advice: "Check the URL (--api-url, SVC_API_URL, svc login), the network, and svc serve",
    }];
  }
  return [
    ...judgePlatform(facts, { apiUrl, own }),
    ...(readiness === undefined ? [] : [readiness]),
    ...await examineLogin(ctx),
    ...await examineNodes(ctx),
    ...await examineEdges(ctx),
    ...await examineBackups(ctx),
  ];
}

const MAIL_ADVICE =
  "Check svc serve's mail server and its log. People cannot confirm a sign-up or reset a password. To resend failed emails, run svc notifications resend --all --workspace-wide";

/**
 * Checks the response of `/readyz`. Returns `undefined` if nothing is wrong, or if another program
 * responds.
 */
export function judgeReadiness(
  { status, text }: { readonly status: number; readonly text: string },
  apiUrl: string,
): Point | undefined {
  const advice =
    "The platform may still serve sites, but it refuses changes. Run svc doctor on that machine, with its --kv and --blobs, and check the svc serve log";
  const said = printable(text.trim());
  if (status === NOT_READY && !said.includes("<")) {
    return { name: "platform", state: "fail", found: `${apiUrl} is not ready: ${said}`, advice };
  }
  const trouble = /^ready\nBut (.+)$/s.exec(text.trim())?.[1];
  if (status !== 200 || trouble === undefined) return undefined;
  const found = printable(trouble);
  // Platforms of earlier versions say "mails".
  return /^(?:e?mails |\d+ e?mails? )/.test(trouble)
    ? { name: "mail", state: "warn", found, advice: MAIL_ADVICE }
    : { name: "platform storage", state: "warn", found, advice };
}

/** @throws {Error} if the response is too large. The rest of the response is not read */
export async function readAnswer(response: Response): Promise<string> {
  const bytes = await readLimited(response.body, MOST_BYTES);
  if (bytes === undefined) throw new Error(`its response is larger than ${MOST_BYTES} bytes`);
  return new TextDecoder().decode(bytes);
}

async function examineReadiness(ctx: Context): Promise<Point | undefined> {
  try {
    const response = await ctx.fetch(new URL("/readyz", ctx.apiUrl), {
      signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    const text = await readAnswer(response);
    return judgeReadiness({ status: response.status, text }, ctx.apiUrl);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    // If the platform is unreachable, the next request reports it.
    return undefined;
  }
}

async function askPlatform(ctx: Context): Promise<PlatformFacts> {
  const response = await ctx.fetch(new URL(getHealth.path, ctx.apiUrl), {
    signal: AbortSignal.any([ctx.signal, AbortSignal.timeout(ANSWER_MS)]),
    headers: { accept: "application/json" },
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const parsed = getHealth.response.safeParse(JSON.parse(await readAnswer(response)));
  if (!parsed.success) throw new Error("the server is not an svc platform");
  const { version, databases, knowsCountries } = parsed.data;
  const at = Date.parse(response.headers.get("date") ?? "");
  return {
    version,
    knowsCountries,
    skewMs: Number.isNaN(at) ? undefined : at - ctx.now(),
    databases: databases?.ready === false ? databases.problem ?? "they are not ready" : undefined,
  };
}

async function examineLogin(ctx: Context): Promise<readonly Point[]> {
  const name = "login";
  try {
    const identity = await ctx.client({ phase: "auth" }).call(getIdentity, {});
    const { user, workspace, grant } = identity;
    const who = `${user.email ?? user.name}, workspace ${workspace.slug} (${workspace.role})`;
    const ends = grant?.expiresAt ?? undefined;
    return [{
      name,
      state: "ok",
      found: ends === undefined ? who : `${who}, until ${ends.slice(0, 10)}`,
    }];
  } catch (error) {
    const advice = "Run svc login, or set SVC_TOKEN to a key for the workspace";
    return [{
      name,
      state: "warn",
      found: error instanceof CliError ? error.message : messageOf(error),
      advice,
    }];
  }
}
