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
 * So many that two platforms hardly ever use the same, regardless of the process or thread of the
 * test.
 */
const PLACES = 2 ** 18;

/** A first user for builds that no other test uses. */
export function freeBuildUid(): number {
  return FIRST_TEST_UID + Math.floor(Math.random() * PLACES) * BUILD_USERS;
}
