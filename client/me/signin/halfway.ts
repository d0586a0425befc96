interface Halfway {
  /**
   * The signed-in account that this browser is being added to. Its name matches the typed one. `keepsShutVault` is true if this
   * browser stores keys of that account that did not open [Note: V4].
   */
  entered?: { id: string; username: string; keepsShutVault: boolean } | undefined
  /**
   * True if the person cannot open this browser's lock. The next sign-in adds the browser again and puts its locked keys aside
   * [Note: V3].
   */
  addsAnew?: boolean
  /** An account without keys, whose first keys are being made, and its current authentication secret. */
  bare?: { username: string; authSecret: string } | undefined
  /** An account opened by its recovery kit. `sent` is the request whose response may be lost. */
  recovery?: { id: string; username: string; kitSecret: string; sent?: { manifest: string; password: string } } | undefined
}

/**
 * The state of an incomplete sign-in. It is only in this page's memory, until the sign-in completes or is cancelled, and never
 * holds typed text.
 */
export const halfway: Halfway = {}
