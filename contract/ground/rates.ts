const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/**
 * Rate limits: `points` calls in `seconds`, counted `per` address, name, session, user, user and room (`room`), room of all users
 * together (`whole_room`), or for `all` together. The limits for people leave space for typing, pasting and reconnecting: twenty
 * messages at once and five a second are far below.
 */
export const RATES = {
  /** Failed sign-ins: by address, by name and address, by name from all addresses, by name and known browser. */
  signInByAddress: { points: 30, seconds: 5 * MINUTE, per: 'address' },
  signInByNameAndAddress: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  signInByName: { points: 200, seconds: 5 * MINUTE, per: 'name' },
  signInByBrowser: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  /** Attempts at the password or the recovery kit by a signed-in session. */
  guesses: { points: 10, seconds: 5 * MINUTE, per: 'session' },
  /** Challenges for a sign-in by passkey alone. */
  passkeyChallenges: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  salt: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  register: { points: 10, seconds: 60 * MINUTE, per: 'address' },
  registerTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  availability: { points: 60, seconds: MINUTE, per: 'address' },
  availabilityTotal: { points: 1200, seconds: MINUTE, per: 'all' },

  account: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** Each new name is told to everybody who lists the person. */
  profile: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** Addresses for files, and the bytes sent to them. */
  uploads: { points: 300, seconds: 10 * MINUTE, per: 'user' },
  /** Each switch is told to everybody who shares it. */
  privacy: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Subscriptions and quiet hours. A browser subscribes again at each start. */
  push: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  /** Payment requests, each with an address of its own, and looks at the chain for them. */
  coinPayments: { points: 20, seconds: DAY, per: 'user' },
  coinChecks: { points: 200, seconds: 10 * MINUTE, per: 'user' },
  keys: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** A recovery reads at most one book of each device, twice. */
  recoveryBooks: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** A session needs one proof; each tab that starts at the same time sends its own. */
  proofs: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  /** New history keys. Each is sealed to all devices, stays in the keyring for good, and makes every room wait for a commit. */
  historyKeys: { points: 20, seconds: DAY, per: 'user' },
  /** Ends of other sessions, and answers to sign-ins. */
  sessions: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  keyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Meeting a person for the first time makes a new version of the book. */
  book: { points: 600, seconds: 10 * MINUTE, per: 'user' },
  addContact: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** New contact codes. A page that shows one makes the next every six minutes. */
  codes: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  answerContact: { points: 120, seconds: MINUTE, per: 'user' },
  /** Blocks and their ends. Each pair with messages between is one more range of places in the blocker's row of the room. */
  blocks: { points: 60, seconds: DAY, per: 'user' },
  /** Checkouts, changes, refunds. Each asks the card provider. */
  payments: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  reports: { points: 10, seconds: DAY, per: 'user' },
  /** Invitations made and taken back, and members removed. */
  invitations: { points: 30, seconds: DAY, per: 'user' },
  /** Invitations by mail: of an account, to one address, and of the server. Whoever has a Master plan chooses who is written to. */
  mails: { points: 20, seconds: DAY, per: 'user' },
  mailsToOne: { points: 3, seconds: DAY, per: 'name' },
  mailsTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  /** What administrators do: each leaves a row for good. */
  administration: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  clearChat: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** A browser that was offline marks all of its rooms at once. */
  marks: { points: 3000, seconds: MINUTE, per: 'user' },
  /** Two marks, delivered and read, for each message that another member may send. */
  marksInRoom: { points: 1200, seconds: MINUTE, per: 'room' },
  /** Chat passwords set, changed, removed and given up. */
  chatPasswords: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Chats opened and locked again. Wrong passwords wait by the chat itself (`CHAT_LOCK`). */
  unlocks: { points: 300, seconds: 10 * MINUTE, per: 'user' },
  archivePages: { points: 1200, seconds: 10 * MINUTE, per: 'user' },
  archivePagesInRoom: { points: 120, seconds: 10 * MINUTE, per: 'room' },
  mutes: { points: 120, seconds: MINUTE, per: 'user' },
  mutesInRoom: { points: 30, seconds: MINUTE, per: 'room' },
  messages: { points: 300, seconds: 20, per: 'user' },
  messagesInRoom: { points: 150, seconds: 20, per: 'room' },
  messagesADay: { points: 20_000, seconds: DAY, per: 'user' },
  /** A person who removes a device commits in all rooms. */
  commits: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  commitsInRoom: { points: 30, seconds: MINUTE, per: 'room' },
  /**
   * New groups of one room, by all members together. Each replaces the previous one, and a browser follows at most 1,000 without
   * asking [Note: R8].
   */
  generations: { points: 5, seconds: 60 * MINUTE, per: 'whole_room' },
  generationsADay: { points: 20, seconds: DAY, per: 'whole_room' },
  repairs: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  repairsInRoom: { points: 60, seconds: 10 * MINUTE, per: 'room' },
  claimKeyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  claimKeyPackagesInRoom: { points: 20, seconds: DAY, per: 'room' },
  /** Claims of key packages of somebody who has not accepted the caller. */
  claimOfStranger: { points: 5, seconds: DAY, per: 'room' },
} as const

export type Rate = keyof typeof RATES

/** The rates that a call can name: those counted by the caller, or by the caller and the room that the call names. */
export type CallRate = { [Name in Rate]: (typeof RATES)[Name]['per'] extends 'user' | 'room' ? Name : never }[Rate]
