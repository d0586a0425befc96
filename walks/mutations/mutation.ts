/** A change of the source that breaks a rule of the product. */
export interface Mutation {
  /** What would then be true. */
  name: string
  file: string
  /** A piece of the file that stands in it once. */
  from: string
  to: string
  /** The test file that must go red. */
  test: string
}
