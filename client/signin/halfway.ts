interface Halfway {
  /**
   * Whom the server signed in, under the name that was typed: the account that this browser is being added to. `keepsShutVault`: this
   * browser keeps keys of that account, which did not open [Note: V4].
   */
  entered?: { id: string; username: string; keepsShutVault: boolean } | undefined
  /** The person cannot open the lock of this browser: the next sign-in adds it anew, and its locked keys are put aside [Note: V3]. */
  addsAnew?: boolean
  /** An account without keys, whose first ones are being made: its sign-in secret until now. */
  bare?: { username: string; authSecret: string } | undefined
  /** An account that its kit has opened. `sent`: what was sent to the server, whose answer may be lost. */
  recovery?: { id: string; username: string; kitSecret: string; sent?: { manifest: string; password: string } } | undefined
}

/** A sign-in that is not complete: in this page's memory only, until it is done or cancelled. Never what was typed. */
export const halfway: Halfway = {}
