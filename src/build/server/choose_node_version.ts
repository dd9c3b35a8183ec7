/** @module Chooses the version of Node for a server from the project's settings. Pure. */
import { coerce, minVersion, satisfies, validRange } from "semver";

/** Major versions with long-term support that servers can run on, newest first. */
const SUPPORTED = [26, 24, 22] as const;

/** Other major versions that a range can resolve to, newest first. */
const OTHERS = [25, 23, 20, 21, 18] as const;

/** Major versions with long-term support, keyed by code name. */
const CODE_NAMES: Readonly<Record<string, number>> = {
  krypton: 24,
  jod: 22,
  iron: 20,
  hydrogen: 18,
};

/** A version such as `24` or `v22.11.0`, in the form that the platform can fetch. */
const PLAIN = /^v?(\d{1,3}(?:\.\d{1,4}){0,2})$/;

/** A source of a project's required Node version. */
export interface NodeRequirement {
  /** The source of the requirement, such as `engines.node in package.json`. */
  readonly source: string;
  readonly text: string;
}

type NodeChoice =
  | { readonly ok: true; readonly version: string; readonly warning?: string }
  | { readonly ok: false; readonly message: string };

interface Version {
  readonly version: string;
}

/** Chooses a version from a range: the build's Node version if it fits, otherwise the newest. */
function fromRange(text: string, built: number | undefined): string | undefined {
  const range = validRange(text);
  if (range === null) return undefined;
  const isSupported = SUPPORTED.some((major) => major === built);
  const majors = [...(isSupported ? [built!] : []), ...SUPPORTED, ...OTHERS];
  const whole = majors.find((major) => satisfies(`${major}.9999.9999`, range));
  if (whole !== undefined) return String(whole);
  const least = minVersion(range);
  return least === null || least.major === 0 ? undefined : least.version;
}

/** Parses one version requirement. Returns `undefined` if nothing can satisfy it. */
function readRequirement(text: string, built: number | undefined): Version | undefined {
  const wanted = text.trim();
  const [, plain] = PLAIN.exec(wanted) ?? [];
  if (plain !== undefined) return { version: plain };
  const [, name] = /^lts\/([a-z*]+)$/i.exec(wanted) ?? [];
  if (name === "*" || /^(?:node|stable|current|latest|lts)$/i.test(wanted)) {
    return { version: String(SUPPORTED[0]) };
  }
  const major = name === undefined ? undefined : CODE_NAMES[name.toLowerCase()];
  if (major !== undefined) return { version: String(major) };
  const version = fromRange(wanted, built);
  return version === undefined ? undefined : { version };
}

/** The oldest and newest major versions that are accepted. */
const MAJORS = { oldest: 18, newest: 60 } as const;

function judge(version: string, { source, text }: NodeRequirement): NodeChoice {
  const major = Number(version.split(".")[0]);
  const shown = JSON.stringify(text.trim());
  if (major < MAJORS.oldest || major > MAJORS.newest) {
    return {
      ok: false,
      message: `Servers run on Node ${MAJORS.oldest} or newer: ${source} is ${shown}`,
    };
  }
  if (major % 2 === 0 && major >= SUPPORTED[SUPPORTED.length - 1]!) return { ok: true, version };
  const why = major % 2 === 1 ? "is not a long-term support release" : "no longer receives fixes";
  return { ok: true, version, warning: `Node ${major} ${why}: ${source} is ${shown}` };
}

/**
 * Uses the first requirement. If there is none, uses the major version of the Node that built the
 * project if it is supported, or else the newest version.
 */
export function chooseNodeVersion(
  requirements: readonly NodeRequirement[],
  built: string | undefined,
): NodeChoice {
  const builtMajor = built === undefined ? undefined : coerce(built)?.major;
  const [first] = requirements;
  if (first === undefined) {
    const isSupported = SUPPORTED.some((major) => major === builtMajor);
    return { ok: true, version: String(isSupported ? builtMajor : SUPPORTED[0]) };
  }
  const read = readRequirement(first.text, builtMajor);
  if (read !== undefined) return judge(read.version, first);
  return {
    ok: false,
    message: `Set ${first.source} to a Node version such as "${SUPPORTED[0]}": ` +
      `it is ${JSON.stringify(first.text.trim())}`,
  };
}
