/**
 * Users for builds of test platforms: a starting platform ends all processes of its users, and
 * tests run in parallel.
 *
 * @module
 */

/** First user for builds of test platforms. */
export const FIRST_TEST_UID = 100_000;
/** Number of users for one platform's builds; the default range may belong to another platform. */
const BUILD_USERS = 1000;
/**
 * Number of ranges of users: two platforms hardly ever choose the same range, even in different
 * processes or threads.
 */
const PLACES = 2 ** 18;

/** First user of a range for builds that no other test uses. */
export function freeBuildUid(): number {
  return FIRST_TEST_UID + Math.floor(Math.random() * PLACES) * BUILD_USERS;
}
