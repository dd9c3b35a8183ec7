/** Errors that say why a platform cannot be moved. @module */

/** An error if the source or target is unsuitable. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** An error if nodes are still using a store that is being moved. */
export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";

  constructor(place: string, users: readonly string[]) {
    super(
      `Cannot move the records of ${place} while nodes run on it: ${
        users.join(", ")
      }. Stop them; ` +
        "a killed node disappears after 10 seconds",
    );
  }
}
