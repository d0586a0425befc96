import { z } from 'zod'
import { jsonOf } from './rows.ts'
import type { Vault, Write } from './vault.ts'

export interface EpochName {
  groupId: string
  epoch: number
}

/** Messages that wait for the archive key of their epoch: they lie between these places. */
export interface Waiting extends EpochName {
  first: number
  last: number
}

/** Envelopes of a version that this build does not know: they lie between these places. */
export interface Newer {
  version: number
  first: number
  last: number
}

/**
 * What a device saw of a room's log since the last commit in it [Note: M5]. It follows from the log alone: whoever was handed the
 * same log has the same. Who comes in between two commits knows nothing of it until the next one.
 */
export interface Transcript {
  /** The place of that commit; 0 before the first. */
  since: number
  /** Running hash of the envelopes behind it, base64; '' at the commit. */
  hash: string
  /** The running hash just before that commit; absent where this device came in later. */
  before?: string
}

/** The last time this device put new keys of its own into the room's tree. */
export interface OwnPath {
  /** ISO 8601, by this device's clock. */
  at: string
  /** The place of that commit in the log. */
  seq: number
  /** When it last tried to make another one and somebody else's commit was first. */
  triedAt?: string
}

/** Where a room's log stands: what is sealed there names this group and epoch. `epoch` is absent where it is not known yet. */
export interface LogPlace {
  generation: number
  /** base64. */
  groupId: string
  epoch?: number
}

/** The place of the log where a commit named a version of an account's device list first. */
export interface NamedAt {
  version: number
  seq: number
}

/** Where this device stands in one room. Kept beside the MLS state, which is large, and written with it. */
export interface RoomRecord {
  generation: number
  /** base64; null before the first group. */
  groupId: string | null
  /** `joined`: the MLS state here follows the log. `outside`: messages are read by the archive until this device sends. */
  standing: 'joined' | 'outside'
  /** The newest epoch of the group that this device has proof of: older ones are not entered again [Note: R4]. */
  epoch: number
  /** The last place of the log that this device has passed. */
  cursor: number
  /** Every message from here to the cursor is in the vault. */
  from: number
  /** Where the log stands at the cursor, followed from its commits; absent before the first group [Note: H3]. */
  log?: LogPlace
  /** By user id: the device lists that commits of this room name. What a device signs behind its removal is refused [Note: H3]. */
  named?: Record<string, NamedAt[]>
  /** What this device saw since the last commit; absent where it came in behind it [Note: M5]. */
  transcript?: Transcript | undefined
  /** When the newest commit was taken, whoever made it: older builds renew their keys by it. */
  lastCommitAt: string
  /** Absent in a record of before [Note: R7]. */
  ownPath?: OwnPath
  /** Own messages since this device's newest path [Note: R7]. */
  ownMessages: number
  /** False after a creation, whose commit has no path. */
  isHealed: boolean
  waiting: Waiting[]
  newer?: Newer[]
  /** Epochs that somebody else's commit started and whose archive key was not looked at yet [Note: H1]. */
  unaudited: EpochName[]
}

const place = { first: z.number(), last: z.number() }
const epochName = { groupId: z.string(), epoch: z.number() }

/** The shape of a transcript in a row. */
export const transcriptShape: z.ZodType<Transcript> = z.looseObject({
  since: z.number(),
  hash: z.string(),
  before: z.string().exactOptional(),
})

const recordShape: z.ZodType<RoomRecord> = z.looseObject({
  generation: z.number(),
  groupId: z.string().nullable(),
  standing: z.enum(['joined', 'outside']),
  epoch: z.number(),
  cursor: z.number(),
  from: z.number(),
  log: z.looseObject({ generation: z.number(), groupId: z.string(), epoch: z.number().exactOptional() }).exactOptional(),
  named: z.record(z.string(), z.array(z.looseObject({ version: z.number(), seq: z.number() }))).exactOptional(),
  transcript: transcriptShape.optional(),
  lastCommitAt: z.string(),
  ownPath: z.looseObject({ at: z.string(), seq: z.number(), triedAt: z.string().exactOptional() }).exactOptional(),
  ownMessages: z.number(),
  isHealed: z.boolean(),
  waiting: z.array(z.looseObject({ ...epochName, ...place })),
  newer: z.array(z.looseObject({ version: z.number(), ...place })).exactOptional(),
  unaudited: z.array(z.looseObject(epochName)),
})

const recordKey = (chatRoomId: string) => `room:${chatRoomId}`

/** Where this device stands in a room, or undefined before it knew the room. */
export async function roomRecord(vault: Vault, chatRoomId: string): Promise<RoomRecord | undefined> {
  const row = await vault.get('sealed', recordKey(chatRoomId))
  return row && jsonOf(recordShape, row)
}

/** Where this device stands in each room that it knows. */
export async function roomRecords(vault: Vault): Promise<Map<string, RoomRecord>> {
  const rows = await vault.named(recordKey(''))
  return new Map(rows.map(({ key, value }) => [key.slice(recordKey('').length), jsonOf(recordShape, value)]))
}

export const recordWrite = (chatRoomId: string, record: RoomRecord): Write => ({
  store: 'sealed',
  key: recordKey(chatRoomId),
  value: { json: record },
})
