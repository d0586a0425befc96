/** A cryptographic check has failed: show `text` to the person. README.md of client/worker/ lists the codes. */
export class CryptoFailure extends Error {
  readonly code: string

  constructor(code: string, text: string, options?: ErrorOptions) {
    super(text, options)
    this.name = 'CryptoFailure'
    this.code = code
  }
}
