/**
 * Build users for test platforms. They are separate because tests run in parallel, and a platform
 * that starts ends all processes of its users.
 *
 * @module
 */

/** First user for builds of test platforms. */
export const FIRST_TEST_UID = 100_000;
/** Number of users for one platform's builds. The default range may belong to another platform. */
const BUILD_USERS = 1000;
/**
 * Number of user ranges. Two platforms hardly ever choose the same range, even in different
 * processes or threads.
 */
const PLACES = 2 ** 18;

/** First user of a range for builds. No other test uses the range. */
export function freeBuildUid(): number {
  return FIRST_TEST_UID + Math.floor(Math.random() * PLACES) * BUILD_USERS;
}
