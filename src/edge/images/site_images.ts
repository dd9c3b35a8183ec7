/** @module The compiled image settings of a site: endpoints, sizes, formats and sources. */
import { matchesPathGlob, matchesRemote, parseRemotePattern } from "../../lib/remote_pattern.ts";
import {
  DEFAULT_IMAGE_QUALITIES,
  DEFAULT_IMAGE_SIZES,
  type ImageSettings,
  type ImageStyle,
} from "../../manifest/mod.ts";

/** The platform's own endpoint, which exists on the hosts of every deployment. */
const IMAGE_PATH = "/_svc/image";

const DEFAULT_MIN_TTL_SECONDS = 60;

export class SiteImages {
  /** Ascending. */
  readonly sizes: readonly number[];
  readonly formats: readonly ("avif" | "webp")[];
  readonly allowsSvg: boolean;
  /** Minimum time that responses from servers and other sites stay fresh, in milliseconds. */
  readonly minTtlMs: number;
  readonly #qualities: readonly number[];
  readonly #exact: ReadonlyMap<string, ImageStyle>;
  /** Folders of endpoints whose query is in the path, with a trailing slash. */
  readonly #folders: readonly string[];
  readonly #hosts;
  readonly #paths: readonly string[];

  constructor(settings: ImageSettings) {
    this.sizes = [...settings.sizes ?? DEFAULT_IMAGE_SIZES].sort((one, other) => one - other);
    this.formats = settings.formats ?? ["avif", "webp"];
    this.allowsSvg = settings.svg ?? false;
    this.minTtlMs = (settings.minTtlSeconds ?? DEFAULT_MIN_TTL_SECONDS) * 1000;
    this.#qualities = settings.qualities ?? DEFAULT_IMAGE_QUALITIES;
    const endpoints = settings.endpoints ?? [];
    this.#exact = new Map([
      ...endpoints.filter(({ style }) => style !== "ipx")
        .map(({ path, style }) => [path, style] as const),
      [IMAGE_PATH, "svc"],
    ]);
    this.#folders = endpoints.filter(({ style }) => style === "ipx")
      .map(({ path }) => path.endsWith("/") ? path : `${path}/`);
    this.#hosts = (settings.hosts ?? []).flatMap((text) => parseRemotePattern(text) ?? []);
    this.#paths = settings.paths ?? [];
  }

  /**
   * Returns the URL style of the endpoint at a normalized path, or `undefined` for any other path.
   */
  styleOf(path: string): ImageStyle | undefined {
    const style = this.#exact.get(path);
    if (style !== undefined) return style;
    return this.folderOf(path) === undefined ? undefined : "ipx";
  }

  /** Returns the folder of the endpoint at `path`, if the endpoint's query is in the path. */
  folderOf(path: string): string | undefined {
    for (const folder of this.#folders) if (path.startsWith(folder)) return folder;
    return undefined;
  }

  /** Returns the smallest allowed size that is large enough, or else the largest size. */
  sizeFor(width: number): number {
    return this.sizes.find((size) => size >= width) ?? this.sizes.at(-1)!;
  }

  /** Returns the nearest allowed quality. */
  qualityFor(quality: number): number {
    return this.#qualities.reduce((best, candidate) =>
      Math.abs(candidate - quality) < Math.abs(best - quality) ? candidate : best
    );
  }

  allowsRemote(url: URL): boolean {
    return this.#hosts.some((pattern) => matchesRemote(pattern, url));
  }

  allowsPath(path: string): boolean {
    return this.#paths.length === 0 || this.#paths.some((glob) => matchesPathGlob(glob, path));
  }
}

/** Compiles the settings of a deployment. Returns `undefined` if images are turned off. */
export function compileImages(settings: ImageSettings = {}): SiteImages | undefined {
  return settings.enabled === false ? undefined : new SiteImages(settings);
}
