/** The other side of a direct chat. */
export interface Person {
  id: string
  name: string
  username: string
  isOnline: boolean
  lastSeen: string | null
  isTyping: boolean
  /** null: no browser of theirs has made keys yet. */
  onionAddress: string | null
  /** The key differs from the one that this account knows: nothing is sent [Note: I1]. */
  keyChanged: boolean
}
