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
  /** The safety number of this key was compared. */
  isVerified: boolean
  /** The account is gone for good: the conversation can be read, and nothing can be sent. */
  isDeleted: boolean
}
