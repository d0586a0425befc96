/** Its words are for the person. */
export class NotReady extends Error {
  readonly code = 'not_ready'
  constructor(reason: string) {
    super(reason)
    this.name = 'NotReady'
  }
}
