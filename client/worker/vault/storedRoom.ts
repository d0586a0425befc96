import { z } from 'zod'
import type { Vault, Write } from './vault.ts'
import { jsonOf } from './vaultRows.ts'

export interface EpochName {
  groupId: string
  epoch: number
}

/** Messages that wait for the archive key of their epoch; their seqs are from `first` to `last`. */
export interface Waiting extends EpochName {
  first: number
  last: number
}

/** Envelopes of a version that this build does not know; their seqs are from `first` to `last`. */
export interface Newer {
  version: number
  first: number
  last: number
}

/**
 * A device's view of a room's log since its last commit [Note: M5]. It depends on the log alone, so devices with the same log
 * have the same view. A device that joins between two commits has none until the next commit.
 */
export interface Transcript {
  /** The seq of that commit; 0 before the first. */
  since: number
  /** Running hash of the envelopes after the commit, base64; '' at the commit. */
  hash: string
  /** The running hash just before that commit; absent if this device joined later. */
  before?: string
}

/** The last time this device put new keys of its own into the room's tree. */
export interface OwnPath {
  /** ISO 8601, by this device's clock. */
  at: string
  /** The seq of that commit. */
  seq: number
  /** The time of its last attempt to make another one that lost to another device's commit. */
  triedAt?: string
}

/** The log's current position: new envelopes name this group and epoch. `epoch` is absent while unknown. */
export interface LogPlace {
  generation: number
  /** base64. */
  groupId: string
  epoch?: number
}

/** The seq at which a commit first named a version of an account's device list. */
export interface NamedAt {
  version: number
  seq: number
}

/** A device list as messages and commits name it. `hash` has 16 bytes, base64. */
export interface NamedList {
  userId: string
  version: number
  hash: string
}

/** Two device lists of an account with the same version: the one that this device knows, and one that somebody named [Note: D2]. */
export interface Fork extends NamedList {
  /** The hash of the list that this device knows. */
  known: string
  /** True once an entry behind the one that showed the fork named the known list, so that the other members learn of it. */
  isTold: boolean
  /** True once the person decided to go on. Until then nothing is sent in the room. */
  isAnswered: boolean
}

/** This device's state in one room. It is stored beside the MLS state, which is large, and written with it. */
export interface RoomRecord {
  generation: number
  /** base64; null before the first group. */
  groupId: string | null
  /** `joined`: the MLS state follows the log. `outside`: messages are read by the archive until this device sends. */
  standing: 'joined' | 'outside'
  /** The newest epoch of the group that this device has proof of: it never enters an older one again [Note: R4]. */
  epoch: number
  /** The seq of the last log entry that this device has processed. */
  cursor: number
  /** The vault has every message from this seq to the cursor. */
  from: number
  /** The person has cleared the room up to here: this vault has nothing of it, and asks for nothing. Absent if never. */
  cleared?: number
  /** The log's position at the cursor, computed from its commits; absent before the first group [Note: H3]. */
  log?: LogPlace
  /**
   * By user id: the device lists that commits of this room name. A device's messages after its removal are refused [Note: H3].
   */
  named?: Record<string, NamedAt[]>
  /** Absent if there was none in this room. */
  forks?: Fork[]
  /** Named device lists that are newer than this device's: they are compared once it has that version. */
  claimed?: NamedList[]
  /** This device's view of the log since the last commit; absent if it joined after that commit [Note: M5]. */
  transcript?: Transcript | undefined
  /** The time when the newest commit of any device was processed; older builds decide by it when to renew their keys. */
  lastCommitAt: string
  /** Absent in records of older builds [Note: R7]. */
  ownPath?: OwnPath
  /** The number of own messages since this device's newest path [Note: R7]. */
  ownMessages: number
  /** False after a creation, whose commit has no path. */
  isHealed: boolean
  waiting: Waiting[]
  newer?: Newer[]
  /** Epochs that other devices' commits started and whose archive keys were not audited yet [Note: H1]. */
  unaudited: EpochName[]
}

const place = { first: z.number(), last: z.number() }
const namedList = { userId: z.string(), version: z.number(), hash: z.string() }
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
  cleared: z.number().exactOptional(),
  log: z.looseObject({ generation: z.number(), groupId: z.string(), epoch: z.number().exactOptional() }).exactOptional(),
  named: z.record(z.string(), z.array(z.looseObject({ version: z.number(), seq: z.number() }))).exactOptional(),
  forks: z
    .array(z.looseObject({ ...namedList, known: z.string(), isTold: z.boolean(), isAnswered: z.boolean() }))
    .exactOptional(),
  claimed: z.array(z.looseObject(namedList)).exactOptional(),
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

/** This device's state in a room; undefined if the room is new to it. */
export async function roomRecord(vault: Vault, chatRoomId: string): Promise<RoomRecord | undefined> {
  const row = await vault.get('sealed', recordKey(chatRoomId))
  return row && jsonOf(recordShape, row)
}

/** This device's state in each room that it knows. */
export async function roomRecords(vault: Vault): Promise<Map<string, RoomRecord>> {
  const rows = await vault.named(recordKey(''))
  return new Map(rows.map(({ key, value }) => [key.slice(recordKey('').length), jsonOf(recordShape, value)]))
}

export const recordWrite = (chatRoomId: string, record: RoomRecord): Write => ({
  store: 'sealed',
  key: recordKey(chatRoomId),
  value: { json: record },
})
