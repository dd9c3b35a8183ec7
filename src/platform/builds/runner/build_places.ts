/**
 * Folders for builds and project caches. These are in the data directory, which only the platform's
 * user can enter, unless builds run as another user without their own root folder.
 *
 * @module
 */
import { join } from "node:path";
import type { SandboxKind, Shown } from "../sandbox/sandbox.ts";

interface BuildPlaces {
  readonly builds: string;
  readonly caches: string;
}

const SHARED_FOLDER = "/var/tmp";

/** Returns the folders in the data directory. */
export function ownPlaces(dataDir: string): BuildPlaces {
  return { builds: join(dataDir, "builds"), caches: join(dataDir, "build_cache") };
}

/** Returns the folders outside the data directory. `mark` is different for each platform. */
export function sharedPlaces(mark: string): BuildPlaces {
  const folder = join(SHARED_FOLDER, `svc-builds-${mark}`);
  return { builds: join(folder, "builds"), caches: join(folder, "caches") };
}

/** Creates a folder that other users can traverse, and checks that the platform's user owns it. */
async function makeOwn(path: string): Promise<void> {
  await Deno.mkdir(path, { mode: 0o711 }).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  const { isDirectory, uid, mode } = await Deno.lstat(path);
  if (isDirectory && uid === Deno.uid() && ((mode ?? 0) & 0o022) === 0) return;
  throw new Error(`Cannot build in ${path}: another user owns it or can write to it`);
}

/** Creates the folders for a kind of sandbox if they are missing, and returns them. */
export async function preparePlaces(
  kind: SandboxKind,
  options: { readonly dataDir: string; readonly mark: string },
): Promise<BuildPlaces> {
  if (kind !== "user") {
    const places = ownPlaces(options.dataDir);
    for (const path of [places.builds, places.caches]) {
      await Deno.mkdir(path, { recursive: true, mode: 0o711 });
    }
    return places;
  }
  const places = sharedPlaces(options.mark);
  for (const path of [join(places.builds, ".."), places.builds, places.caches]) await makeOwn(path);
  return places;
}

/** Returns a path and its real path, because a build may see only one of the two. */
export function withRealPath(path: string): string[] {
  try {
    return [...new Set([path, Deno.realPathSync(path)])];
  } catch {
    return [path];
  }
}

/**
 * Returns the real paths of the build's folders, which are needed to recognize links inside these
 * folders.
 */
export async function realPlaces(shown: readonly Shown[]): Promise<Shown[]> {
  return await Promise.all(
    shown.map(async ({ from, to }) => ({ from: await Deno.realPath(from), to })),
  );
}
