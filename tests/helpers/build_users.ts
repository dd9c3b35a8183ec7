/**
 * Build users for test platforms. Each platform has its own users because tests run in parallel,
 * and a platform stops all of its users' processes when it starts.
 *
 * @module
 */

/** First user ID for test platforms' builds. */
export const FIRST_TEST_UID = 100_000;
/** Number of users for one platform's builds. The default range may belong to another platform. */
const BUILD_USERS = 1000;
/**
 * Number of user ranges. There are so many that two platforms hardly ever choose the same range,
 * even in different processes or threads.
 */
const PLACES = 2 ** 18;

/** Returns the first user ID of a range for builds that no other test uses. */
export function freeBuildUid(): number {
  return FIRST_TEST_UID + Math.floor(Math.random() * PLACES) * BUILD_USERS;
}
