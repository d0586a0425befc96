import { REFUSALS, type RefusalBody, type RefusalCode } from '../contract/refusals.ts'

interface Extra {
  /** Words that say more than the code's own. */
  text?: string
  retryAfterSeconds?: number
  details?: unknown
}

/** The product says no. Caught once, by the server's error boundary and by the gateway. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  readonly details: unknown

  constructor(code: RefusalCode, extra: Extra = {}) {
    super(extra.text ?? REFUSALS[code].text)
    this.name = 'Refusal'
    this.code = code
    this.status = REFUSALS[code].status
    this.retryAfterSeconds = extra.retryAfterSeconds
    this.details = extra.details
  }

  /** The answer's body. */
  body(): RefusalBody {
    return {
      error: this.message,
      code: this.code,
      ...(this.retryAfterSeconds !== undefined && { retryAfterSeconds: this.retryAfterSeconds }),
      ...(this.details !== undefined && { details: this.details }),
    }
  }
}
