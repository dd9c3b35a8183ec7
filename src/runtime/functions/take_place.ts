/**
 * A place for a process among those of all deployments.
 *
 * @module
 */
import type { Place, ProcessPlaces } from "../process/process_places.ts";

/** All places of the platform are in use, and stay so. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
}

/**
 * Waits for a place; `undefined` where any number of processes may run.
 *
 * @throws {NoPlaceError} where none came free in time.
 */
export async function takePlace(places: ProcessPlaces | undefined): Promise<Place | undefined> {
  if (places === undefined) return undefined;
  const place = await places.take();
  if (place !== undefined) return place;
  throw new NoPlaceError(
    `All ${places.max} processes of functions that may run at once are in use`,
  );
}
