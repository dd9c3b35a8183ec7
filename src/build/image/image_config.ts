/** @module Reads an image's configuration to find out how its program starts. Pure. */
import * as z from "zod";

const words = z.array(z.string()).nullish().transform((list) => list ?? []);

/** The relevant parts of `podman image inspect` and `docker image inspect`. */
const inspected = z.array(z.object({
  Os: z.string(),
  Architecture: z.string(),
  Config: z.object({
    Entrypoint: words,
    Cmd: words,
    Env: words,
    WorkingDir: z.string().nullish(),
    ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
    Volumes: z.record(z.string(), z.unknown()).nullish(),
  }),
})).length(1);

export interface ImageConfig {
  /** Platform in the format `linux/amd64`. */
  readonly platform: string;
  /** The program and its arguments. Empty if the image does not name one. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a folder in the image. */
  readonly workdir: string;
  /** Folders that the image declares as data volumes. Deployments do not persist them. */
  readonly volumes: readonly string[];
}

/** Returns the only TCP port that an image exposes. */
function exposedPort(ports: Readonly<Record<string, unknown>>): string | undefined {
  const found = Object.keys(ports).flatMap((name) => /^(\d+)(?:\/tcp)?$/.exec(name)?.[1] ?? []);
  return found.length === 1 ? found[0] : undefined;
}

function variablesOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.flatMap((line) => {
    const at = line.indexOf("=");
    return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
  }));
}

/**
 * Parses what Podman or Docker prints about an image. Returns `undefined` if the format is unknown.
 *
 * The port that the image exposes becomes `PORT`, unless the image sets `PORT` itself.
 */
export function readImageConfig(text: string): ImageConfig | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const [image] = inspected.safeParse(value).data ?? [];
  if (image === undefined) return undefined;
  const { Entrypoint, Cmd, Env, WorkingDir, ExposedPorts, Volumes } = image.Config;
  const port = exposedPort(ExposedPorts ?? {});
  return {
    platform: `${image.Os}/${image.Architecture}`,
    args: [...Entrypoint, ...Cmd],
    env: { ...(port === undefined ? {} : { PORT: port }), ...variablesOf(Env) },
    workdir: WorkingDir?.startsWith("/") === true ? WorkingDir : "/",
    volumes: Object.keys(Volumes ?? {}),
  };
}
