import { REFUSALS, type RefusalBody, type RefusalCode } from '../contract/ground/refusals.ts'

interface Extra {
  /** A text that replaces the code's own. */
  text?: string
  retryAfterSeconds?: number
  details?: unknown
}

/** A refusal of a call or a frame. Only the error boundary of HTTP and the gateway catch it. */
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

  /** The body of the response. */
  body(): RefusalBody {
    return {
      error: this.message,
      code: this.code,
      ...(this.retryAfterSeconds !== undefined && { retryAfterSeconds: this.retryAfterSeconds }),
      ...(this.details !== undefined && { details: this.details }),
    }
  }
}
