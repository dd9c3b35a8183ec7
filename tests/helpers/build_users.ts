/**
 * Users for builds of test platforms: a starting platform ends all processes of its users, and
 * tests run in parallel.
 *
 * @module
 */

/** Users of test platforms' builds count from here. */
export const FIRST_TEST_UID = 100_000;
/** Users of one platform's builds; the default range may belong to another platform. */
const BUILD_USERS = 1000;
/** So many that two platforms hardly ever have the same, whichever process or thread tests run in. */
const PLACES = 2 ** 18;

/** A first user for builds that no other test has. */
export function freeBuildUid(): number {
  return FIRST_TEST_UID + Math.floor(Math.random() * PLACES) * BUILD_USERS;
}
