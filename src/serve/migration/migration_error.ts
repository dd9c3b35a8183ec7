/** Errors that say why a platform cannot be moved. @module */

/** Thrown if the source or target is unsuitable. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** Thrown if nodes are still using the store that the migration moves. */
export class StoreInUseError extends Error {
  override readonly name = "StoreInUseError";

  constructor(place: string, users: readonly string[]) {
    super(
      `Cannot move the records in ${place} while nodes run on it: ${
        users.join(", ")
      }. Stop them; ` +
        "a killed node disappears after 10 seconds",
    );
  }
}
