/** A test of this repository, by its file and its title. */
export interface Test {
  file: string
  /** As the test has it; on screen an apostrophe is ’. */
  title: string
}

/** What a page measures where it is shown (client/site/measures.ts). */
export type Measure = 'suite' | 'once' | 'padding' | 'tampering' | 'route' | 'origin' | 'build' | 'account'

/** A figure that a claim is known by. A test measures it. */
interface Figure {
  value: number
  unit: string
  /** Goes on behind the figure, and says what it does not cover. */
  says: string
  test: Test
}

/** Something that the product says of itself to strangers. `npm run check` refuses one that has neither a test nor a limit. */
export interface Claim {
  id: string
  /** The claim, in the words of the specification where it has some. */
  text: string
  /** What makes the claim true. It always stands beside it. */
  caption: string
  /** The claim in full, for whoever reads on. */
  story: string
  /** The tests that prove it. `npm test` runs them, and fails where one is no longer there. */
  tests: Test[]
  /** What the claim does not cover; required where no test proves it. */
  limit?: string
  measures: Measure[]
  /** Puts the claim among the first of /security. */
  figure?: Figure
  /** The pages that show it besides /security, which has every claim. `words`: what another screen says in its place. */
  shown: ('landing' | { file: string; words: string })[]
}
