const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** `room`: per user and room. `whole_room`: all its users together. `all`: everybody. */
export const RATES = {
  signInByAddress: { points: 30, seconds: 5 * MINUTE, per: 'address' },
  signInByNameAndAddress: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  signInByName: { points: 200, seconds: 5 * MINUTE, per: 'name' },
  signInByBrowser: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  guesses: { points: 10, seconds: 5 * MINUTE, per: 'session' },
  passkeyChallenges: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  salt: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  register: { points: 10, seconds: 60 * MINUTE, per: 'address' },
  registerTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  availability: { points: 60, seconds: MINUTE, per: 'address' },
  availabilityTotal: { points: 1200, seconds: MINUTE, per: 'all' },

  account: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  profile: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  uploads: { points: 300, seconds: 10 * MINUTE, per: 'user' },
  /** KiB. */
  photosOfAddress: { points: 512 * 1024, seconds: DAY, per: 'address' },
  rings: { points: 300, seconds: 10 * MINUTE, per: 'user' },
  relays: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  transfers: { points: 200, seconds: 60 * MINUTE, per: 'user' },
  relayTests: { points: 10, seconds: 60 * MINUTE, per: 'user' },
  pushedRings: { points: 5, seconds: 60 * MINUTE, per: 'name' },
  privacy: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  push: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  coinPayments: { points: 20, seconds: DAY, per: 'user' },
  coinChecks: { points: 200, seconds: 10 * MINUTE, per: 'user' },
  keys: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  recoveryBooks: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** A copied cookie costs others none. */
  proofs: { points: 120, seconds: 10 * MINUTE, per: 'session' },
  stepUps: { points: 30, seconds: 10 * MINUTE, per: 'session' },
  /** Each key stays, and all rooms wait for a commit. */
  historyKeys: { points: 20, seconds: DAY, per: 'user' },
  sessions: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  keyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  book: { points: 600, seconds: 10 * MINUTE, per: 'user' },
  addContact: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  codes: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  answerContact: { points: 120, seconds: MINUTE, per: 'user' },
  blocks: { points: 60, seconds: DAY, per: 'user' },
  payments: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  reports: { points: 10, seconds: DAY, per: 'user' },
  invitations: { points: 30, seconds: DAY, per: 'user' },
  mails: { points: 20, seconds: DAY, per: 'user' },
  mailsToOne: { points: 3, seconds: DAY, per: 'name' },
  mailsTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  /** Each leaves a row for good. */
  administration: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  clearChat: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Browsers mark all rooms after a pause. */
  marks: { points: 3000, seconds: MINUTE, per: 'user' },
  /** Delivered and read. */
  marksInRoom: { points: 1200, seconds: MINUTE, per: 'room' },
  chatPasswords: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** `CHAT_LOCK` bounds wrong passwords. */
  unlocks: { points: 300, seconds: 10 * MINUTE, per: 'session' },
  archivePages: { points: 1200, seconds: 10 * MINUTE, per: 'user' },
  archivePagesInRoom: { points: 120, seconds: 10 * MINUTE, per: 'room' },
  mutes: { points: 120, seconds: MINUTE, per: 'user' },
  mutesInRoom: { points: 30, seconds: MINUTE, per: 'room' },
  messages: { points: 300, seconds: 20, per: 'user' },
  messagesInRoom: { points: 150, seconds: 20, per: 'room' },
  silentInRoom: { points: 60, seconds: MINUTE, per: 'room' },
  silentNotes: { points: 1000, seconds: DAY, per: 'user' },
  notes: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  messagesADay: { points: 20_000, seconds: DAY, per: 'user' },
  /** A removal commits in all rooms. */
  commits: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  commitsInRoom: { points: 30, seconds: MINUTE, per: 'room' },
  /** Browsers follow 1,000 new groups without asking [Note: R8]. */
  generations: { points: 5, seconds: 60 * MINUTE, per: 'whole_room' },
  generationsADay: { points: 20, seconds: DAY, per: 'whole_room' },
  repairs: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  repairsInRoom: { points: 60, seconds: 10 * MINUTE, per: 'room' },
  claimKeyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  claimKeyPackagesInRoom: { points: 20, seconds: DAY, per: 'room' },
  claimOfStranger: { points: 5, seconds: DAY, per: 'room' },
  listOfStranger: { points: 20, seconds: DAY, per: 'room' },
} as const

export type Rate = keyof typeof RATES

export type CallRate = { [Name in Rate]: (typeof RATES)[Name]['per'] extends 'user' | 'session' | 'room' ? Name : never }[Rate]
