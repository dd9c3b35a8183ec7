/** A store that refuses writes, because they would be lost. @module */
import { StoreLayer } from "../../../store/mod.ts";

/** Thrown if a write is refused because the platform is read-only. */
export class StoreReadOnlyError extends Error {
  override readonly name = "StoreReadOnlyError";
  constructor() {
    super("Cannot store: the platform's disk was full when it started, so it is read-only");
  }
}

export class ReadOnlyStore extends StoreLayer {
  /** @throws {StoreReadOnlyError} always. */
  override write(): Promise<never> {
    return Promise.reject(new StoreReadOnlyError());
  }
}
