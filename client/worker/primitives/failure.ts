/**
 * A cryptographic check has failed. It is always shown to the person. `code` is for programs (README.md of client/worker/ lists
 * the codes), the message for the person.
 */
export class CryptoFailure extends Error {
  readonly code: string

  constructor(code: string, text: string, options?: ErrorOptions) {
    super(text, options)
    this.name = 'CryptoFailure'
    this.code = code
  }
}
