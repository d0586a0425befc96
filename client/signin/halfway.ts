interface Halfway {
  /** An account whose first keys are being made: its sign-in secret until now. */
  bare?: { username: string; authSecret: string } | undefined
  /** An account that its kit has opened. `sent`: what was asked of the server, whose answer may be lost. */
  recovery?: { username: string; kitSecret: string; sent?: { manifest: string; password: string } } | undefined
}

/** A sign-in half way, in this page's memory only, until it is done or given up. Never what was typed. */
export const halfway: Halfway = {}
