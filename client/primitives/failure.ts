/**
 * Something of cryptography that must hold does not. It is shown to the person, never swallowed. `code` is for programs (the
 * list stands in this folder's README), the message for the person.
 */
export class CryptoFailure extends Error {
  readonly code: string

  constructor(code: string, text: string, options?: ErrorOptions) {
    super(text, options)
    this.name = 'CryptoFailure'
    this.code = code
  }
}
